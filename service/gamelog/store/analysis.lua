-- Writes to a game's analysis, and its place in the list of those under way, in one step.
--
-- KEYS  1 header of the game   2 its analysis   3 the shard's list of games whose analysis is under way
-- ARGV  1 game id   2 name of the engine   3 "begin", "go on" or "end"   4 the time (ms since 1970)
--       5 how many turns it must have, where it goes on   6, 7 and so on: names and values of fields that it has then
--
-- An analysis that another engine has made, or began, is replaced by one that begins. One goes on, or ends, while it is
-- under way, and goes on only behind the turns that it has: a slice that is done twice, or late, changes nothing.
-- Workers look first at the one that began first: who asks later waits for it, and not it for them.
--
-- Returns {1}, {0} if nothing was written, or {-1} if there is no such game.

local known = redis.call('HMGET', KEYS[2], 'engine', 'answer', 'judged', 'since')
local is_own = known[1] == ARGV[2]
if ARGV[3] == 'begin' and redis.call('EXISTS', KEYS[1]) == 0 then
  return {-1}
end
if is_own == (ARGV[3] == 'begin') or (is_own and known[2]) then
  return {0}
end
if ARGV[3] == 'go on' and (known[3] or '0') ~= ARGV[5] then
  return {0}
end

if ARGV[3] ~= 'go on' then
  redis.call('DEL', KEYS[2])
end
local since = ARGV[3] == 'go on' and known[4] or ARGV[4]
redis.call('HSET', KEYS[2], 'engine', ARGV[2], 'since', since, unpack(ARGV, 6))
if ARGV[3] == 'end' then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[3], since, ARGV[1])
end
return {1}
