-- Marks a live stream of a seat.
--
-- KEYS  1 the seat's live streams, by the time in ms at which their marks end
-- ARGV  1 stream   2 ms for which the mark lasts

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
