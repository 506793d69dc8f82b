-- The lines of a feed after a reader's position. Loaded after feed.lua.
--
-- KEYS  1 the shard's feed      ARGV  1 reader   2 most lines
--
-- Returns {position, lines}, or {} where the reader has no position.

local position = positions(KEYS[1])[ARGV[1]]
if not position then
  return {}
end
return {position, redis.call('XRANGE', KEYS[1], '(' .. position, '+', 'COUNT', ARGV[2])}
