-- Says what has become of a claimed notice. Only its last claim can, but for a delivery, which can't be undone.
--
-- KEYS  1 the game's outbox   2 the shard's first attempts   3 its retries   4 the seat's deliveries
--       5 the shard's dead letters   then the deliveries of other seats that get it, too
-- ARGV  1 "done", "dead", "drop", "retry", "postpone" or "aside" (a first attempt becomes a retry)
--       2 notice   3 its record's name   4 end of its lease   5 its receiver   6 its record, for "retry" and "dead"
--       7 when it is tried again (ms since 1970), or ""   8 a line for the deliveries, or ""
--       9 a marker that is removed, so that the notice can be added again, or ""   10 its version
--      11 the version of the game if it is over, else 0   12 most deliveries   13 most dead letters
--
-- Returns {1}, or {0} where another claim counts: then nothing was written.

local verb, notice = ARGV[1], ARGV[2]
local record = redis.call('HGET', KEYS[1], ARGV[3])
local lane = redis.call('ZSCORE', KEYS[2], notice) and KEYS[2] or KEYS[3]
if not record then  -- settled, or the game has been deleted
  redis.call('ZREM', lane, notice)
  return {0}
end
local lease = redis.call('ZSCORE', lane, notice)
local is_mine = lease and tonumber(lease) == tonumber(ARGV[4])
if not is_mine and not (verb == 'done' and cjson.decode(record)['target'] == ARGV[5]) then
  return {0}
end

if ARGV[8] ~= '' then
  for at = 4, #KEYS do
    if at ~= 5 then
      redis.call('LPUSH', KEYS[at], ARGV[8])
      redis.call('LTRIM', KEYS[at], 0, ARGV[12] - 1)
    end
  end
end
if verb == 'postpone' then
  redis.call('ZADD', lane, ARGV[7], notice)
  return {1}
end
if verb == 'aside' or verb == 'retry' then
  if verb == 'retry' then
    redis.call('HSET', KEYS[1], ARGV[3], ARGV[6])
  end
  redis.call('ZREM', KEYS[2], notice)
  redis.call('ZADD', KEYS[3], ARGV[7], notice)
  return {1}
end

redis.call('ZREM', lane, notice)
redis.call('HDEL', KEYS[1], ARGV[3])
if verb == 'dead' then
  redis.call('LPUSH', KEYS[5], cjson.encode({notice, ARGV[6]}))
  redis.call('LTRIM', KEYS[5], 0, ARGV[13] - 1)
end
local marked = ARGV[9] ~= '' and redis.call('HGET', KEYS[1], ARGV[9])
if marked and string.match(marked, '^%d+') == ARGV[10] then
  redis.call('HDEL', KEYS[1], ARGV[9])
end
-- A floor before the feed was read to the end would hide events that the reader has yet to add.
if ARGV[11] ~= '0' and tonumber(redis.call('HGET', KEYS[1], 'read') or '0') >= tonumber(ARGV[11]) then
  local floor, markers = 0, {}
  local fields = redis.call('HGETALL', KEYS[1])
  for at = 1, #fields, 2 do
    if string.sub(fields[at], 1, 2) == 'r|' then
      return {1}  -- something still waits
    elseif string.sub(fields[at], 1, 2) == 'm|' then
      table.insert(markers, fields[at])
      floor = math.max(floor, tonumber(string.match(fields[at + 1], '^%d+')))
    end
  end
  if floor > tonumber(redis.call('HGET', KEYS[1], 'floor') or '0') then
    redis.call('HSET', KEYS[1], 'floor', floor)
  end
  if #markers > 0 then
    redis.call('HDEL', KEYS[1], unpack(markers))
  end
end
return {1}
