-- A whole game at once: all of its entries, or nothing. The way in for games that were played already, elsewhere or as
-- the game that a new one is a copy of; a game that is played here is written by append.lua alone.
--
-- KEYS  1 stream of the game   2 its header   3 its idempotency keys   4 the shard's feed   5 the shard's due list
--       6 the shard's list of quiet games
-- ARGV  1 game id              2 version      3 hash of the last event, 32 bytes            4 types of the last entry
--       5 when (ms since 1970) a worker is due, or ""     6 when the game may be archived, or ""
--       7 digest of the idempotency key, or ""   8 its record   9 seconds that it lives on, or ""
--       10, 11, 12, 13 and so on: of each entry its id, milliseconds, events and check, as append.lua writes them
--
-- Returns {"brought in"}, or {"taken", check of the last entry} where there is a game of this id.

if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  return {'taken', last and last[2][6] or ''}
end

for at = 10, #ARGV, 4 do
  redis.call('XADD', KEYS[1], ARGV[at], 't', ARGV[at + 1], 'e', ARGV[at + 2], 'c', ARGV[at + 3])
end
redis.call('HSET', KEYS[2], 'version', ARGV[2], 'hash', ARGV[3])
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[7], ARGV[8])
end
if ARGV[9] ~= '' then
  redis.call('EXPIRE', KEYS[3], ARGV[9])
end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', 10000, '*', 'game', ARGV[1], 'version', ARGV[2], 'types', ARGV[4])
if ARGV[5] ~= '' then
  redis.call('ZADD', KEYS[5], ARGV[5], ARGV[1])
end
if ARGV[6] ~= '' then
  redis.call('ZADD', KEYS[6], ARGV[6], ARGV[1])
end
redis.call('PUBLISH', KEYS[1], ARGV[2])
return {'brought in'}
