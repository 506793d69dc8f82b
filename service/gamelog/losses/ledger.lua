-- Records entries of a game that the log has lost, each once, however many processes remember it.
--
-- KEYS  1 lost entries of the shard
-- ARGV  1 most fields   2 seconds after which all of them expire   3 a random id of the report
--       4, 5 and so on: of each entry its name, its events
--
-- Returns {events, entries} of what no other report has recorded before. Above the limit what comes is counted, and not kept.

local events, entries = 0, 0
local time = redis.call('TIME')
local kept = redis.call('HLEN', KEYS[1])
for at = 4, #ARGV, 2 do
  local known = redis.call('HGET', KEYS[1], ARGV[at])
  -- This very report may be sent again, after a lost answer.
  if not known or string.sub(known, -#ARGV[3]) == ARGV[3] then
    events = events + ARGV[at + 1]
    entries = entries + 1
    if not known and kept < tonumber(ARGV[1]) then
      kept = kept + 1
      redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1] .. ':' .. time[1] .. ':' .. ARGV[3])
    end
  end
end
if entries > 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return {events, entries}
