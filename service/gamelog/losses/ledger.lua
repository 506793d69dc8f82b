-- Records entries of a game that the log has lost, each once, however many processes remember it.
--
-- KEYS  1 lost entries of the shard
-- ARGV  1 most fields   2 seconds after which all of them expire   3 a random id of the report
--       4, 5 and so on: of each entry its name, its events
--
-- Returns {events, entries} of what no other report has recorded before. Above the limit what comes is counted, and not kept.
-- Who remembers the head of a game alone reports one event of its entry: a report that knows of more adds the others.

local events, entries = 0, 0
local time = redis.call('TIME')
local kept = redis.call('HLEN', KEYS[1])
for at = 4, #ARGV, 2 do
  local count, before = tonumber(ARGV[at + 1]), 0
  local known = redis.call('HGET', KEYS[1], ARGV[at])
  -- This very report may be sent again, after a lost answer.
  if known and string.sub(known, -#ARGV[3]) ~= ARGV[3] then
    before = tonumber(string.match(known, '^%d+')) or count
  end
  if count > before then
    events = events + count - before
    entries = entries + 1
    if before > 0 then
      redis.call('HSET', KEYS[1], ARGV[at], count .. string.match(known, ':.*'))
    elseif not known and kept < tonumber(ARGV[1]) then
      kept = kept + 1
      redis.call('HSET', KEYS[1], ARGV[at], count .. ':' .. time[1] .. ':' .. ARGV[3])
    end
  end
end
if entries > 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return {events, entries}
