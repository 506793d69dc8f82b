-- Sends a dead letter again, from its first attempt on.
--
-- KEYS  1 the game's outbox   2 the shard's first attempts   3 the shard's dead letters
-- ARGV  1 now (ms since 1970)   2 the dead letter   3 notice   4 its record's name   5 its record
--
-- Returns {1}, or {0} where it is no dead letter any more.

if redis.call('LREM', KEYS[3], 1, ARGV[2]) == 0 then
  return {0}
end
if redis.call('HSETNX', KEYS[1], ARGV[4], ARGV[5]) == 1 then
  redis.call('ZADD', KEYS[2], ARGV[1], ARGV[3])
end
return {1}
