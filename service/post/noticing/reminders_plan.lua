-- Sets or removes the reminder of a game, unless a newer version of the game has set it.
--
-- KEYS  1 the game's outbox   2 the shard's reminders, by the time in ms since 1970
-- ARGV  1 game   2 its version   3 when its player is reminded, or "": not at all
--
-- Returns 1 if something was written, else 0.

local planned = redis.call('ZSCORE', KEYS[2], ARGV[1])
if (planned and tonumber(planned) or nil) == tonumber(ARGV[3]) then
  return 0
end
if tonumber(redis.call('HGET', KEYS[1], 'planned') or '0') > tonumber(ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[1], 'planned', ARGV[2])
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
end
return 1
