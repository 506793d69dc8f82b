-- Replaces the standing orders of a seat, in one step, or not at all: an append or other orders at the same moment win.
--
-- KEYS  1 header of the game   2 its standing orders
-- ARGV  1 version and 2 hash of the last event that the orders were judged on
--       3 seat   4 the stored orders, or ""   5 those in their place, or ""
--       6 the token that asks, as "<seat>=<generation>", or ""
--
-- A worker may just be carrying out a step of the old orders. Its append has passed, and then the game is at another
-- version; or append.lua finds that they are stored no longer.
--
-- Returns {1}, {0} if game or orders have changed, or {-1} for a void token: then nothing was written.

local head = redis.call('HMGET', KEYS[1], 'version', 'hash', 'tokens')
if not is_valid(head[3], ARGV[6]) then
  return {-1}
end
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] then
  return {0}
end
if (redis.call('HGET', KEYS[2], ARGV[3]) or '') ~= ARGV[4] then
  return {0}
end

if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[5])
else
  redis.call('HDEL', KEYS[2], ARGV[3])
end
return {1}
