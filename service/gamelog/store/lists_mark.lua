-- Replaces the mark of lists that a process rebuilds: by a later one, or by that of a whole list when it is done. A
-- list without it was deleted meanwhile, or taken by another process, and gets none. May run twice.
--
-- KEYS  1 and so on: lists of a shard that were taken
-- ARGV  1 their mark   2 mark of a whole list; "": a later one   3 how the latter begins   4 who rebuilds   5 for how
--       long (ms)
--
-- Returns {the mark that they have now, the number of lists that have it}.

local new = ARGV[2]
if new == '' then
  local time = redis.call('TIME')
  new = string.format('%s%.0f %s', ARGV[3], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[5], ARGV[4])
end
local count = 0
for list = 1, #KEYS do
  if redis.call('ZSCORE', KEYS[list], ARGV[1]) then
    redis.call('ZREM', KEYS[list], ARGV[1])
    redis.call('ZADD', KEYS[list], '+inf', new)
    count = count + 1
  elseif redis.call('ZSCORE', KEYS[list], new) then
    count = count + 1
  end
end
return {new, count}
