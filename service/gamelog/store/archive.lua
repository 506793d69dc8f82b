-- What the archiver does to a game that it leaves readable, in one step, or not at all: it replaces the stream by an
-- archive, and says when it looks at the game again.
--
-- KEYS  1 stream of the game   2 its header   3 its archive   4 the shard's list of quiet games
--       5 and so on: keys beside the log, which go with the stream of a game that is over
-- ARGV  1 game id              2 version and  3 hash of its last event
--       4 when (ms since 1970) to look at the game again, or "": never, it is over
--       5 where the archive is, for the header, or "" if the stream stays
--       6 the archive, or "" if it is a file
--
-- Returns {1}, or {0} if the game is not at that version any more: then nothing was written.

local head = redis.call('HMGET', KEYS[2], 'version', 'hash')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] then
  return {0}
end

if ARGV[5] ~= '' then
  if ARGV[6] ~= '' then
    redis.call('SET', KEYS[3], ARGV[6])
  else
    redis.call('DEL', KEYS[3])
  end
  redis.call('HSET', KEYS[2], 'archive', ARGV[5])
  redis.call('DEL', KEYS[1])
  if ARGV[4] == '' then
    for extra = 5, #KEYS do
      redis.call('DEL', KEYS[extra])
    end
  end
end
if ARGV[4] ~= '' then
  redis.call('ZADD', KEYS[4], ARGV[4], ARGV[1])
else
  redis.call('ZREM', KEYS[4], ARGV[1])
end
return {1}
