-- Claims notices that are due: no other sender gets them before the lease ends. A claim and its lease are one step.
--
-- KEYS  1 the shard's first attempts, or its retries
-- ARGV  1 now   2 and 3 end of the lease of a webhook and of a mail (all ms since 1970)   4 most notices
--
-- Returns {notice, end of its lease, …}.

local claimed = {}
for _, notice in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[4])) do
  local ends = string.find(notice, '|webhook|', 1, true) and ARGV[2] or ARGV[3]
  redis.call('ZADD', KEYS[1], 'XX', ends, notice)
  table.insert(claimed, notice)
  table.insert(claimed, ends)
end
return claimed
