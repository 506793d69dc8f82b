-- Moves the position of a reader forward, never back. Loaded after feed.lua.
--
-- KEYS  1 the shard's feed      ARGV  1 reader   2 id of the last line that it has dealt with
--
-- Returns {1}, or {0} where the reader has no position.

local position = positions(KEYS[1])[ARGV[1]]
if not position then
  return {0}
end
if is_before(position, ARGV[2]) then
  redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], ARGV[2])
  trim(KEYS[1])
end
return {1}
