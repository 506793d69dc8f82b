-- Claims what is due in a list: no other process gets it before its lease ends. A claim and its lease are one step.
--
-- KEYS  1 a list, by the time at which its members are due: games, or notices of the outbox
-- ARGV  1 now   2 most members   3 end of the lease (both ms since 1970)
--       4 and 5, 6 and 7 and so on: a channel, and the end of the lease of its notices
--
-- Returns {member, end of its lease, …}.

local leases = {}
for at = 4, #ARGV, 2 do
  leases[ARGV[at]] = ARGV[at + 1]
end
local claimed = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local ends = leases[string.match(member, '^[^|]*|r|[^|]*|([^|]*)|')] or ARGV[3]
  redis.call('ZADD', KEYS[1], 'XX', ends, member)
  table.insert(claimed, member)
  table.insert(claimed, ends)
end
return claimed
