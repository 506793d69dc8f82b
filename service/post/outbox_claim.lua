-- Claims notices that are due: no other sender gets them before the lease ends. A claim and its lease are one step.
--
-- KEYS  1 the shard's first attempts, or its retries
-- ARGV  1 now (ms since 1970)   2 most notices   3 and 4, 5 and 6 and so on: a channel, and the end of its lease
--
-- Returns {notice, end of its lease, …}.

local leases = {}
for at = 3, #ARGV, 2 do
  leases[ARGV[at]] = ARGV[at + 1]
end
local claimed = {}
for _, notice in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local ends = leases[string.match(notice, '^[^|]*|r|[^|]*|([^|]*)|')] or ARGV[4]
  redis.call('ZADD', KEYS[1], 'XX', ends, notice)
  table.insert(claimed, notice)
  table.insert(claimed, ends)
end
return claimed
