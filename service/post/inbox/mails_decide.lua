-- Decides what has become of a mail, unless that is decided. Returns the answer that is to be handed over, or "".
--
-- KEYS 1 the seat's mails, by time   2 their answers   ARGV 1 mail   2 time in ms   3 answer, or ""   4 most mails
--      5 seconds
local held = redis.call('HGET', KEYS[2], ARGV[1])
if held then
  return held
end
if redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1]) == 0 then
  return ''
end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
  redis.call('EXPIRE', KEYS[2], ARGV[5])
end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return ARGV[3]
