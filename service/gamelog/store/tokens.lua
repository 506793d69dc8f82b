-- Which of a seat's tokens is valid: the header's field `tokens` has "<seat>=<generation> " for each seat whose token was
-- ever revoked; all others have generation 0. "e=<number> " says how often words were erased from the log. This file is
-- put in front of every script that writes for a seat.

-- Whether a token is the seat's valid one, by that field; `token`: "<seat>=<generation>", or "" where none asks.
local function is_valid(tokens, token)
  if token == '' then
    return true
  end
  local seat, generation = string.match(token, '^(%d+)=(%d+)$')
  return (string.match(tokens or '', seat .. '=(%d+)') or '0') == generation
end

local function erasures(tokens)
  return string.match(tokens or '', 'e=(%d+)') or '0'
end

local function set_generation(head, seat, generation)
  local others = string.gsub(redis.call('HGET', head, 'tokens') or '', seat .. '=%d+ ', '')
  redis.call('HSET', head, 'tokens', others .. seat .. '=' .. generation .. ' ')
end

-- What the person at a seat has said beside the log is not the next one's: who would get that one's mails, for example.
-- A notice that was on its way is dropped when it is claimed: its record is missing.
local function forget_person(subscriptions, orders, deliveries, outbox, seat)
  redis.call('HDEL', subscriptions, seat)
  redis.call('HDEL', orders, seat)
  redis.call('DEL', deliveries)
  for _, field in ipairs(redis.call('HKEYS', outbox)) do
    if string.find(field, '^[rmg]|' .. seat .. '|') then
      redis.call('HDEL', outbox, field)
    end
  end
end
