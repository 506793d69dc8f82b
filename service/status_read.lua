-- KEYS and ARGV 1 as in status_report.lua. Returns the number of workers that are alive, and all counts.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return {redis.call('ZCOUNT', KEYS[1], now - ARGV[1], '+inf'), redis.call('HGETALL', KEYS[2])}
