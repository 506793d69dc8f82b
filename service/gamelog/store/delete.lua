-- Deletes a game with all of its keys, in one step, or not at all: an append at the same moment wins or loses.
--
-- KEYS  1 stream of the game   2 its header   3 its idempotency keys   4 its archive
--       5 to 7 the shard's due lists   8 the shard's list of quiet games   9 to 11 its lists of listed games
--       12 its summaries of them   13 the shard's generations that an earlier release has kept
--       14 and so on: keys beside the log
-- ARGV  1 game id              2 version and  3 hash of its last event
--
-- The game leaves a mark under the name of its idempotency keys, so that a process that remembers it doesn't report a
-- loss: for a day, and forever where it has keys. Where it was opened with one, its id follows from the key, and must
-- not become another game's, to which the tokens and receipts of this one would fit.
--
-- Returns {1}, or {0} if the game is not at that version any more: then nothing was written.

local head = redis.call('HMGET', KEYS[2], 'version', 'hash')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] then
  return {0}
end

local keyed = redis.call('DEL', KEYS[3]) == 1
redis.call('DEL', KEYS[1], KEYS[2], KEYS[4])
for list = 5, 11 do
  redis.call('ZREM', KEYS[list], ARGV[1])
end
redis.call('HDEL', KEYS[12], ARGV[1])
for seat = 0, 4 do
  redis.call('HDEL', KEYS[13], ARGV[1] .. '/' .. seat)
end
for extra = 14, #KEYS do
  redis.call('DEL', KEYS[extra])
end
redis.call('HSET', KEYS[3], 'deleted', 1)
if not keyed then
  redis.call('EXPIRE', KEYS[3], 86400)
end
return {1}
