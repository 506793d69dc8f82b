-- Voids a seat's token and makes way for a new one, once for each key; or refuses.
--
-- KEYS  1 header of the game   2 its idempotency keys   3 the shard's generations   4 its changes of them
--       5 to 8 what is the person's, where the token may become another one's
-- ARGV  1 seat, as "<game>/<seat>"
--       2 generation of the token that asks, or "" for an operator, whose request has no limit
--       3 digest of the request's key   4 its record up to the generation
--       5 most rotations of a person's tokens   6 first generation of the next person, less that of this one
--       7 seconds after which the game's keys expire, or ""
--
-- Returns {"done", generation}, {"repeat", record}, {"none"} without such a game, {"void"} or {"many"}.

local record = redis.call('HGET', KEYS[2], ARGV[3])
if record then
  return {'repeat', record}
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {'none'}
end
local generation = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or '0')
if ARGV[2] ~= '' then
  if generation ~= tonumber(ARGV[2]) then
    return {'void'}
  end
  if generation % tonumber(ARGV[6]) >= tonumber(ARGV[5]) then
    return {'many'}
  end
end
local following = string.format('%d', generation + 1)
set_generation(KEYS[3], KEYS[4], ARGV[1], following)
if KEYS[5] then
  forget_person(KEYS[5], KEYS[6], KEYS[7], KEYS[8], ARGV[1])
end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4] .. following .. ':')
if ARGV[7] ~= '' then
  redis.call('EXPIRE', KEYS[2], ARGV[7])
end
return {'done', following}
