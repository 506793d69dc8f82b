-- Takes the lists of a shard that are not whole, for one process to rebuild, unless another one is at it.
--
-- KEYS  1 and so on: the shard's lists of games by time (all with its hash tag)
-- ARGV  1 mark of a whole list   2 how the mark of a list in the making begins   3 who rebuilds
--       4 for how long (ms) no other process takes the shard
--
-- Marks have the score +inf: no game has it, and none of those who look for what is due ever finds it. A mark goes with
-- its list when that is deleted.
-- Returns {the mark, the number of each list that was taken}; {} if all lists are whole or another process rebuilds.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local broken = {}
for list = 1, #KEYS do
  if not redis.call('ZSCORE', KEYS[list], ARGV[1]) then
    table.insert(broken, list)
    for _, mark in ipairs(redis.call('ZRANGEBYSCORE', KEYS[list], '+inf', '+inf')) do
      local till = string.match(mark, '^' .. ARGV[2] .. '(%d+) ')
      -- One that lies further ahead is from before the clock has jumped back.
      if till and tonumber(till) > now and tonumber(till) <= now + ARGV[4] then
        return {}
      end
    end
  end
end
if #broken == 0 then
  return {}
end

local own = string.format('%s%.0f %s', ARGV[2], now + ARGV[4], ARGV[3])
for _, list in ipairs(broken) do
  redis.call('ZREMRANGEBYSCORE', KEYS[list], '+inf', '+inf')
  redis.call('ZADD', KEYS[list], '+inf', own)
end
table.insert(broken, 1, own)
return broken
