-- The only way into a game's stream: all entries of an accepted request (it has one) or of an imported game, or
-- nothing. Reads first, writes last: a script that fails is not rolled back.
--
-- KEYS  1 stream of the game   2 its header   3 its idempotency keys   4 the shard's feed
--       5 the shard's due list in which the game waits   6 and 7 those that it leaves
--       8 the shard's list of quiet games (all with the shard's hash tag, so that one cluster node holds them)
--       of a listed game also: 9 the shard's summaries   10 its list of games with this status, 11 and 12 with others
--       last, where ARGV 13 names a seat: the four keys of its seat's person; where ARGV 14 is set: the game's standing orders
-- ARGV  1 game id              2 version and 3 hash, 32 bytes, of the last event
--       4 types of the last entry's events, for the feed
--       5 when (ms since 1970) a worker is due, or "", or "kept" if that stays as it is
--       6 when (ms since 1970) the archiver must look at the game, or ""
--       7 digest of the idempotency key, or ""        8 its record
--       9 seconds after which the game's keys expire, or ""
--      10 version and 11 hash before the first event: 0 and "" for a new game
--      12 the token that asks, as "<seat>=<generation>", or ""
--      13 seat whose token is revoked, as "<seat>=<generation of the new one>", or ""; of a new game the field `tokens`
--      14 seat whose orders these entries carry out, as "<seat>=<length>=<the orders that must be stored, of that
--         length><those in their place>", or ""
--      15 how often words were erased from the log that was decided on
--      16, 17, 18, 19 and so on: of each entry
--         its id: version of its last event, "-", number of its events
--         milliseconds since the game was created (its first entry: since 1970)
--         its events, JSON arrays joined by commas
--         its check: the first bytes of its last event's hash, and the request id
--       last, of a listed game: its summary
--
-- Returns {"appended"}, {"damaged"} where the stream doesn't end with the entry that the header names, or {"repeat",
-- "conflict", "void" or "orders" (a step of orders that were replaced or taken back), hash, record, entries, where the
-- archive is, the header's tokens} with the entries after the expected version, so that a conflict costs no second trip,
-- and a resend finds its own request id in the first of them.

local head = redis.call('HMGET', KEYS[2], 'version', 'hash', 'archive', 'tokens')

local function refused(word, record)
  local entries = redis.call('XRANGE', KEYS[1], ARGV[10] + 1, '+')
  return {word, head[2] or '', record, entries, head[3] or '', head[4] or ''}
end

if head[1] and not is_valid(head[4], ARGV[12]) then
  return refused('void', '')
end
if ARGV[7] ~= '' then
  local record = redis.call('HGET', KEYS[3], ARGV[7])
  if record then
    return refused('repeat', record)
  end
end
-- The seat's orders may have been dropped, replaced, or deleted with its person's other things since they were judged.
local seat_of_orders, length, forms = string.match(ARGV[14], '^(%d+)=(%d+)=(.*)$')
if forms and redis.call('HGET', KEYS[#KEYS], seat_of_orders) ~= string.sub(forms, 1, length) then
  return refused('orders', '')
end

-- Equality, not order: XADD alone would accept a gap. The hash, too: a store that lost its last entries and continued
-- differently is not the one that was decided on. Nor is one whose words were erased: its summary has them.
if (head[1] or '0') ~= ARGV[10] or (head[2] or '') ~= ARGV[11] or erasures(head[4]) ~= ARGV[15] then
  return refused('conflict', '')
end
-- Nothing is appended to another branch of the game, or to a lost one: no reader would accept it.
if ARGV[10] ~= '0' then
  local tip = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if tip and string.sub(tip[2][6] or '', 1, 6) ~= string.sub(ARGV[11], 1, 6) or not (tip or head[3]) then
    return {'damaged'}
  end
end
-- A new game replaces nothing, not even a stream without a header or a header without a stream.
if ARGV[10] == '0' and redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  return refused('conflict', '')
end
-- A key opens one game: of one that was deleted, delete.lua has left a mark.
if ARGV[10] == '0' and ARGV[7] ~= '' and redis.call('EXISTS', KEYS[3]) > 0 then
  return refused('conflict', '')
end

if ARGV[10] == '0' then
  redis.call('PERSIST', KEYS[3]) -- it may have the mark of a game that was deleted, and is imported again
end
for at = 16, #ARGV - 3, 4 do
  redis.call('XADD', KEYS[1], ARGV[at], 't', ARGV[at + 1], 'e', ARGV[at + 2], 'c', ARGV[at + 3])
end
redis.call('HSET', KEYS[2], 'version', ARGV[2], 'hash', ARGV[3])
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[7], ARGV[8])
end
if ARGV[9] ~= '' then
  redis.call('EXPIRE', KEYS[3], ARGV[9])
end
if ARGV[13] ~= '' and ARGV[10] == '0' then
  redis.call('HSET', KEYS[2], 'tokens', ARGV[13])
elseif ARGV[13] ~= '' then
  local seat, generation = string.match(ARGV[13], '^(%d+)=(%d+)$')
  set_generation(KEYS[2], seat, generation)
  forget_person(KEYS[#KEYS - 3], KEYS[#KEYS - 2], KEYS[#KEYS - 1], KEYS[#KEYS], seat)
end
if forms then
  redis.call('HSET', KEYS[#KEYS], seat_of_orders, string.sub(forms, length + 1))
end
write_line(KEYS[4], ARGV[1], ARGV[2], ARGV[4])
if ARGV[5] ~= 'kept' then
  redis.call('ZREM', KEYS[6], ARGV[1])
  redis.call('ZREM', KEYS[7], ARGV[1])
  if ARGV[5] == '' then
    redis.call('ZREM', KEYS[5], ARGV[1])
  else
    redis.call('ZADD', KEYS[5], ARGV[5], ARGV[1])
  end
end
if ARGV[6] ~= '' then
  redis.call('ZADD', KEYS[8], ARGV[6], ARGV[1])
end
if (#ARGV - 15) % 4 == 1 then
  local opened
  for list = 10, 12 do
    opened = opened or redis.call('ZSCORE', KEYS[list], ARGV[1])
  end
  if not opened then
    local now = redis.call('TIME')
    opened = string.format('%d%06d', now[1], now[2])
  end
  redis.call('ZREM', KEYS[11], ARGV[1])
  redis.call('ZREM', KEYS[12], ARGV[1])
  redis.call('ZADD', KEYS[10], opened, ARGV[1])
  redis.call('HSET', KEYS[9], ARGV[1], ARGV[#ARGV])
end
redis.call('PUBLISH', KEYS[1], ARGV[2])
return {'appended'}
