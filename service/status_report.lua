-- Adds to the counts. The store's clock counts: those of the workers' machines may differ.
-- KEYS 1 workers by the time of their last report (ms)   2 counts
-- ARGV 1 ms for which a worker counts as alive   2 worker, or ""   3 ms: see below   4, 5 and so on: a count's name,
-- what is added
-- Returns 0, or nothing is done, as no worker has reported for more than ARGV 3: returns for how many ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[2] ~= '' then
  local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  if last and now - last > tonumber(ARGV[3]) then
    return now - last
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], now + 1000, '+inf')  -- reports before the clock has jumped back
  redis.call('ZADD', KEYS[1], now, ARGV[2])
end
for at = 4, #ARGV, 2 do
  redis.call('HINCRBYFLOAT', KEYS[2], ARGV[at], ARGV[at + 1])
end
return 0
