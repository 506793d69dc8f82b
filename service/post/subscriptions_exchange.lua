-- Compares and sets the subscription of a seat.
--
-- KEYS 1 the game's subscriptions   2 its header
-- ARGV 1 seat   2 what was read, or "*"   3 what is written; "" for none
--      4 the token that asks, as "<seat>=<generation>", or ""
-- Returns 1, 0 if the value is another one, -1 if there is no such game, -2 for a void token: then
-- nothing was written.
if not is_valid(redis.call('HGET', KEYS[2], 'tokens'), ARGV[4]) then
  return -2
end
if ARGV[2] ~= '*' and (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then
  return 0
end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
elseif redis.call('EXISTS', KEYS[2]) == 0 then
  return -1
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 1
