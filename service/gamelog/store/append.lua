-- The one way into a game's stream: all of an accepted request, or nothing. Reads first, writes last: a script that
-- fails is not rolled back.
--
-- KEYS  1 stream of the game   2 its header   3 its idempotency keys   4 the shard's feed   5 the shard's due list
--       6 the shard's list of quiet games (all with the shard's hash tag, so that one cluster node holds them)
-- ARGV  1 game id              2 expected version        3 new version       4 number of events
--       5 milliseconds since the game was created (its first entry: since 1970)
--       6 events, JSON arrays joined by commas           7 hash of the last event, 32 bytes
--       8 check: the first bytes of that hash, and the request id
--       9 digest of the idempotency key, or ""          10 its record
--      11 event types, for the feed
--      12 when (ms since 1970) a worker is due, or "", or "kept" where that is as before    13 seconds that the keys live on, or ""
--
--      14 hash before the first event, or "" for a new game
--      15 when (ms since 1970) the game may be archived, or ""
--
-- Returns {"appended"}, or {"repeat" or "conflict", hash, record, entries, where the archive is} with the entries after
-- the expected version, so that a conflict costs no second trip, and a resend finds its own request id in the first of
-- them.

local function refused(word, record)
  local head = redis.call('HMGET', KEYS[2], 'hash', 'archive')
  return {word, head[1] or '', record, redis.call('XRANGE', KEYS[1], ARGV[2] + 1, '+'), head[2] or ''}
end

if ARGV[9] ~= '' then
  local record = redis.call('HGET', KEYS[3], ARGV[9])
  if record then
    return refused('repeat', record)
  end
end

-- Equality, not order: XADD alone would accept a gap. The hash, too: a store that lost its last entries and went on
-- another way is not the one that was decided on.
local head = redis.call('HMGET', KEYS[2], 'version', 'hash')
if (head[1] or '0') ~= ARGV[2] or (head[2] or '') ~= ARGV[14] then
  return refused('conflict', '')
end

redis.call('XADD', KEYS[1], ARGV[3] .. '-' .. ARGV[4], 't', ARGV[5], 'e', ARGV[6], 'c', ARGV[8])
redis.call('HSET', KEYS[2], 'version', ARGV[3], 'hash', ARGV[7])
if ARGV[9] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[9], ARGV[10])
end
if ARGV[13] ~= '' then
  redis.call('EXPIRE', KEYS[3], ARGV[13])
end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', 10000, '*', 'game', ARGV[1], 'version', ARGV[3], 'types', ARGV[11])
if ARGV[12] == '' then
  redis.call('ZREM', KEYS[5], ARGV[1])
elseif ARGV[12] ~= 'kept' then
  redis.call('ZADD', KEYS[5], ARGV[12], ARGV[1])
end
if ARGV[15] ~= '' then
  redis.call('ZADD', KEYS[6], ARGV[15], ARGV[1])
end
redis.call('PUBLISH', KEYS[1], ARGV[3])
return {'appended'}
