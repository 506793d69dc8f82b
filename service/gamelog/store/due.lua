-- Sets when a worker must look at a game, in one step with the check that the game is as it was judged, or not at all:
-- an append has set the time itself.
--
-- KEYS  1 header of the game   2 the shard's due list of games with people   3 its list of those that wait for a bot
-- ARGV  1 game id              2 version and  3 hash of its last event
--       4 when (ms since 1970) to look at it, or ""  5 "LT" if it stays in its place where that is sooner, else ""
--
-- Returns {1}, or {0} if the game is not at that version any more: then nothing was written.

local head = redis.call('HMGET', KEYS[1], 'version', 'hash')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] then
  return {0}
end

redis.call('ZREM', KEYS[3], ARGV[1])
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
elseif ARGV[5] == '' then
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
else
  redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4], ARGV[1])
end
return {1}
