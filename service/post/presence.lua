-- Counts the live streams of a seat, once it has marked one, if it gets one. The store's clock counts.
--
-- KEYS  1 the seat's live streams, by the time in ms at which their marks end
-- ARGV  1 stream   2 ms for which its mark lasts   or nothing
--
-- Returns the number of those whose mark has not ended.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] then
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return redis.call('ZCOUNT', KEYS[1], now, '+inf')
