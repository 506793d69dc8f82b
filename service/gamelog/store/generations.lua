-- Which of a seat's tokens is valid. This file is put in front of every script that voids one.
--
-- The shard's hash has the generation of each seat whose token was ever voided; the shard's stream has the latest
-- changes, for the processes that keep copies of the hash. A change that a copy has missed was trimmed: it notices that.

local MAX_CHANGES = 1000

local function set_generation(generations, changes, seat, generation)
  redis.call('HSET', generations, seat, generation)
  redis.call('XADD', changes, 'MAXLEN', '~', MAX_CHANGES, '*', 'seat', seat, 'generation', generation)
end

-- What the person at a seat has said beside the log is not the next one's: who would get that one's mails, for example.
-- A notice that was on its way is dropped when it is claimed: its record is missing.
local function forget_person(subscriptions, orders, deliveries, outbox, seat)
  local number = string.match(seat, '%d+$')
  redis.call('HDEL', subscriptions, number)
  redis.call('HDEL', orders, number)
  redis.call('DEL', deliveries)
  for _, field in ipairs(redis.call('HKEYS', outbox)) do
    if string.find(field, '^[rmg]|' .. number .. '|') then
      redis.call('HDEL', outbox, field)
    end
  end
end
