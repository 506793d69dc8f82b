-- Deletes one seat's deliveries, and its notices that wait, unless the token of the request is revoked.
--
-- KEYS  1 the game's outbox   2 the shard's first attempts   3 its retries   4 the seat's deliveries
--       5 header of the game
-- ARGV  1 game   2 seat   3 the token, as "<seat>=<generation>", or ""
--
-- Returns {}.

if not is_valid(redis.call('HGET', KEYS[5], 'tokens'), ARGV[3]) then
  return {}
end
local mine = '^[rmg]|' .. ARGV[2] .. '|'
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, mine) then
    redis.call('HDEL', KEYS[1], field)
    redis.call('ZREM', KEYS[2], ARGV[1] .. '|' .. field)
    redis.call('ZREM', KEYS[3], ARGV[1] .. '|' .. field)
  end
end
redis.call('DEL', KEYS[4])
return {}
