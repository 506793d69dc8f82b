-- Adds to the counts. The store's clock counts: those of the workers' machines may differ.
-- KEYS 1 workers by the time of their last report (ms)   2 counts
-- ARGV 1 ms for which a worker counts as alive   2 worker, or ""   3, 4 and so on: a count's name, what is added
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 1000, '+inf')  -- reports before the clock has jumped back
if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[1], now, ARGV[2])
end
for at = 3, #ARGV, 2 do
  redis.call('HINCRBYFLOAT', KEYS[2], ARGV[at], ARGV[at + 1])
end
