-- Puts a game's log without a person's words in the place of the one that has them, in one step, or not at all.
--
-- KEYS  1 stream of the game   2 its header   3 its archive   4 the shard's list of quiet games   5 its summaries
--       6 and so on, where ARGV 5 names a seat: the keys of the seat's person, and of its mails
-- ARGV  1 game id   2 version and 3 hash of its last event
--       4 the header's field `tokens` as it was read, or ""
--       5 seat whose token is revoked, as "<seat>=<generation of the new one>", or "" in a copy
--       6 its summary in the list of games, or ""   7 when (ms since 1970) the archiver looks at it, or "": as before
--       8, 9, 10, 11 and so on: of each entry what append.lua takes
--
-- Returns {1}, or {0} if the game has changed since it was read: then nothing was written.

local head = redis.call('HMGET', KEYS[2], 'version', 'hash', 'tokens')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] or (head[3] or '') ~= ARGV[4] then
  return {0}
end

redis.call('DEL', KEYS[1], KEYS[3])
redis.call('HDEL', KEYS[2], 'archive')
for at = 8, #ARGV - 3, 4 do
  redis.call('XADD', KEYS[1], ARGV[at], 't', ARGV[at + 1], 'e', ARGV[at + 2], 'c', ARGV[at + 3])
end
set_generation(KEYS[2], 'e', string.format('%d', erasures(ARGV[4]) + 1))
if ARGV[5] ~= '' then
  local seat, generation = string.match(ARGV[5], '^(%d+)=(%d+)$')
  set_generation(KEYS[2], seat, generation)
  forget_person(KEYS[6], KEYS[7], KEYS[8], KEYS[9], seat)
  redis.call('DEL', KEYS[10], KEYS[11])
end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[5], ARGV[1], ARGV[6])
end
if ARGV[7] ~= '' then
  redis.call('ZADD', KEYS[4], ARGV[7], ARGV[1])
end
redis.call('PUBLISH', KEYS[1], 0)
return {1}
