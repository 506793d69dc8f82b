-- Compares and sets the secrets of a deployment: commit.lua of the game log asks a game's header.
--
-- KEYS  1 the deployment   ARGV  1 the value that was read   2 the new value
-- Returns 1, or 0 where another value is stored.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
