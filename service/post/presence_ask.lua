-- KEYS  1 the seat's live streams, by the time in ms at which their marks end
--
-- Returns the number of those whose mark has not ended.

local time = redis.call('TIME')
return redis.call('ZCOUNT', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), '+inf')
