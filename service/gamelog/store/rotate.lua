-- Revokes a seat's token and makes way for a new one, once for each key; or refuses.
--
-- KEYS  1 header of the game   2 its idempotency keys   3 its stream, on whose channel waiting threads are woken
--       4 to 7 the four keys of the seat's person
-- ARGV  1 seat
--       2 generation of the token that asks, or "" for an operator, whose request has no limit
--       3 digest of the request's key   4 its record up to the generation
--       5 most rotations of a person's tokens   6 first generation of the next person, less that of this one
--       7 seconds after which the game's keys expire, or ""
--       8 the seat's subscription as it must be stored   9 what the person keeps of it; both "": nothing is kept
--
-- Returns {"done", generation}, {"repeat", present generation, record}, {"none"} without such a game, {"void"}, {"many"},
-- or {"changed"} where another subscription is stored.

local generation = tonumber(string.match(redis.call('HGET', KEYS[1], 'tokens') or '', ARGV[1] .. '=(%d+)') or '0')
local record = redis.call('HGET', KEYS[2], ARGV[3])
if record then
  return {'repeat', string.format('%d', generation), record}
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return {'none'}
end
if ARGV[2] ~= '' then
  if generation ~= tonumber(ARGV[2]) then
    return {'void'}
  end
  if generation % tonumber(ARGV[6]) >= tonumber(ARGV[5]) then
    return {'many'}
  end
end
if ARGV[8] ~= '' and redis.call('HGET', KEYS[4], ARGV[1]) ~= ARGV[8] then
  return {'changed'}
end
local following = string.format('%d', generation + 1)
set_generation(KEYS[1], ARGV[1], following)
forget_person(KEYS[4], KEYS[5], KEYS[6], KEYS[7], ARGV[1])
if ARGV[9] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[9])
end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4] .. following .. ':')
if ARGV[7] ~= '' then
  redis.call('EXPIRE', KEYS[2], ARGV[7])
end
redis.call('PUBLISH', KEYS[3], 0)
return {'done', following}
