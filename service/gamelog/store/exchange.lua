-- Compares and sets what a seat keeps beside the log, its standing orders or its subscription, in one step, or not at
-- all: another change at the same moment wins.
--
-- KEYS  1 header of the game   2 the hash, with a field for each seat
-- ARGV  1 seat   2 the stored value, "" for none, or "*" for any   3 that in its place, or ""
--       4 the token that asks, as "<seat>=<generation>", or ""
--       5 version and 6 hash of the last event that it was judged on, or both ""
--
-- A worker may just be carrying out a step of old orders. Its append has passed, and then the game is at another
-- version; or append.lua finds that they are stored no longer.
--
-- Returns {1}, {0} if the value or the game has changed, {-1} for a revoked token, {-2} if there is no such game: then
-- nothing was written.

local head = redis.call('HMGET', KEYS[1], 'version', 'hash', 'tokens')
if not is_valid(head[3], ARGV[4]) then
  return {-1}
end
if ARGV[5] ~= '' and (head[1] ~= ARGV[5] or head[2] ~= ARGV[6]) then
  return {0}
end
if ARGV[2] ~= '*' and (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then
  return {0}
end

if ARGV[3] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return {-2}
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
end
return {1}
