-- Writes what is there already. WAITAOF waits for the last write of its own connection alone, so after this one it
-- waits for everything that was written to the shard before.
--
-- KEYS  1 header of the game   2 its idempotency keys
-- ARGV  1 digest of an idempotency key, or ""   2 the record that is kept with it
-- Returns {1}, or {0} where the game, or the record, isn't there any more.

if ARGV[1] ~= '' and redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
  return {0}
end
local version = redis.call('HGET', KEYS[1], 'version')
if not version then
  return {0}
end
redis.call('HSET', KEYS[1], 'version', version)
return {1}
