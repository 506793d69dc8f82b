-- Notes that a receiver has answered, or not.
--
-- KEYS  1 the receivers that have answered, by the time in ms at which it was noted
-- ARGV  1 receiver   2 most receivers, or "": it has not answered
--
-- Returns nothing.

if ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
end
