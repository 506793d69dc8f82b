-- Fixes what a claimed notice that gathers tells: all up to its marker. Later ones are another notice, which may leave
-- after a pause. What is known of a seat's: "<the one that gathers> <the last one that was sealed> <when the next may
-- leave>", a "-" for none.
--
-- KEYS  1 the game's outbox   2 the shard's first attempts   3 its retries
-- ARGV  1 notice   2 its record's name   3 end of its lease   4 the name of what is known   5 its marker
--       6 the version up to which the game was loaded   7 now   8 the pause (both in ms)   9 its own version
--
-- Returns {the version of the last that it tells}, or {0}: it is not sent now. Then it has been postponed, if its lease
-- counts.

local lane = redis.call('ZSCORE', KEYS[2], ARGV[1]) and KEYS[2] or KEYS[3]
local record, lease = redis.call('HGET', KEYS[1], ARGV[2]), redis.call('ZSCORE', lane, ARGV[1])
if not record or not lease or tonumber(lease) ~= tonumber(ARGV[3]) then
  return {0}
end
local known = redis.call('HGET', KEYS[1], ARGV[4]) or '- - 0'
local open, sealed, from = string.match(known, '^(%S+) (%S+) (%d+)$')
if open ~= ARGV[2] then  -- none has joined it
  return {tonumber(ARGV[9])}
end
if sealed ~= ARGV[2] and redis.call('HEXISTS', KEYS[1], sealed) == 1 then  -- it fails
  redis.call('ZADD', lane, ARGV[7] + ARGV[8], ARGV[1])
  return {0}
end
local marked = redis.call('HGET', KEYS[1], ARGV[5])
local until_version = tonumber(string.match(marked or ARGV[6], '^%d+'))
if until_version > tonumber(ARGV[6]) then  -- something has come since
  redis.call('ZADD', lane, ARGV[7], ARGV[1])
  return {0}
end
local fields = cjson.decode(record)
fields['until'] = until_version
redis.call('HSET', KEYS[1], ARGV[2], cjson.encode(fields))
local pace = string.match(ARGV[4], '^g|all')
from = pace and (redis.call('HGET', KEYS[1], pace) or '0') or from
from = string.format('%d', math.max(tonumber(from), tonumber(ARGV[7])) + ARGV[8])
redis.call('HSET', KEYS[1], ARGV[4], '- ' .. ARGV[2] .. ' ' .. from)
if pace then
  redis.call('HSET', KEYS[1], pace, from)
end
return {until_version}
