-- Counts a mail under keys that have limits.
--
-- KEYS  what receives   then what is refused above its limit
-- ARGV  1 seconds after which a count ends   2 how many of the keys are of what receives   then the limit of each key
-- Returns {1} if a mail may be sent, {0} if who receives has had enough, {-1, seconds to wait} where one is refused:
-- then nothing is counted.
for at = ARGV[2] + 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[at]) or '0') >= tonumber(ARGV[at + 2]) then
    return {-1, redis.call('TTL', KEYS[at])}
  end
end
local allowed = 1
for at = 1, #KEYS do
  local count = redis.call('INCR', KEYS[at])
  if count == 1 then
    redis.call('EXPIRE', KEYS[at], ARGV[1])
  end
  if count > tonumber(ARGV[at + 2]) then
    allowed = 0
  end
end
return {allowed}
