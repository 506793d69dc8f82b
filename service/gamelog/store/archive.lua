-- Replaces the stream of a finished game by its archive: in one step, or not at all.
--
-- KEYS  1 stream of the game   2 its header   3 its archive   4 the shard's list of quiet games
-- ARGV  1 game id              2 version and  3 hash of the last event in the archive
--       4 where the archive is, for the header              5 the archive, or "" if it is a file
--
-- Returns {1}, or {0} if the game is not at that version any more: then nothing was written.

local head = redis.call('HMGET', KEYS[2], 'version', 'hash')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] then
  return {0}
end

if ARGV[5] ~= '' then
  redis.call('SET', KEYS[3], ARGV[5])
else
  redis.call('DEL', KEYS[3])
end
redis.call('HSET', KEYS[2], 'archive', ARGV[4])
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return {1}
