-- Puts a game into the lists of what waits that lack it, in one step with the check that it is as it was judged. A time
-- that is there stays: it is an append's, or the lease of a worker that is at the game.
--
-- KEYS  1 header of the game   2 the shard's list of quiet games   3 the due list in which it waits   4, 5 the others
-- ARGV  1 game id              2 version and 3 hash of its last event
--       4 when (ms since 1970) a worker must look at it, or ""   5 when the archiver must, or ""
--
-- Returns {-1} if the game is not at that version any more: then nothing was written. Else {1} if the due lists lacked
-- it, {0} if they didn't.

local head = redis.call('HMGET', KEYS[1], 'version', 'hash')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] then
  return {-1}
end
local is_new = 0
if ARGV[4] ~= '' then
  local is_listed = false
  for list = 3, 5 do
    is_listed = is_listed or redis.call('ZSCORE', KEYS[list], ARGV[1])
  end
  if not is_listed then
    redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
    is_new = 1
  end
end
if ARGV[5] ~= '' then
  redis.call('ZADD', KEYS[2], 'NX', ARGV[5], ARGV[1])
end
return {is_new}
