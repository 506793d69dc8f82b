-- Takes over the generations that an earlier release has kept for a shard into the headers of its games; none gets lower.
-- The subscription and the notices that it has stored of such a seat's person name no generation: it is the present one.
--
-- KEYS  1 the shard's generations, "<game>/<seat>" -> generation   2 the latest changes of them
-- ARGV  1 the shard's hash tag
--
-- Returns {}.

local function stamp(key, field, generation)
  local text = redis.call('HGET', key, field)
  if text and not string.find(text, '"generation":', 1, true) then
    redis.call('HSET', key, field, '{"generation":' .. generation .. ',' .. string.sub(text, 2))
  end
end

local stored = redis.call('HGETALL', KEYS[1])
for at = 1, #stored, 2 do
  local game, seat = string.match(stored[at], '^(.*)/(%d+)$')
  local head, generation = ARGV[1] .. ':head:' .. game, stored[at + 1]
  local known = string.match(redis.call('HGET', head, 'tokens') or '', seat .. '=(%d+)') or '0'
  if redis.call('EXISTS', head) == 1 and tonumber(known) <= tonumber(generation) then
    set_generation(head, seat, generation)
    stamp(ARGV[1] .. ':post:' .. game, seat, generation)
    local outbox = ARGV[1] .. ':outbox:' .. game
    for _, field in ipairs(redis.call('HKEYS', outbox)) do
      if string.find(field, '^r|' .. seat .. '|') then
        stamp(outbox, field, generation)
      end
    end
  end
end
redis.call('DEL', KEYS[2])
return {}
