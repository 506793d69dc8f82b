-- The feed of a shard: a line for each append and import. This file is put in front of every script that touches a feed.
--
-- The position of a reader is a consumer group of the feed, named like the reader: its last delivered id. A stream and
-- its groups are one key, so lines and positions can only be lost together: a reader that finds its position has lost
-- no line. The stream exists only while there are positions; its lines are trimmed up to the slowest of them.

local MAX_LINES = 20000

-- The positions by reader; empty where there is no feed.
local function positions(feed)
  local found = {}
  if redis.call('EXISTS', feed) == 1 then
    for _, group in ipairs(redis.call('XINFO', 'GROUPS', feed)) do
      local fields = {}
      for at = 1, #group, 2 do
        fields[group[at]] = group[at + 1]
      end
      found[fields['name']] = fields['last-delivered-id']
    end
  end
  return found
end

local function parts(position)
  local ms, seq = string.match(position, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end

local function is_before(one, other)
  local one_ms, one_seq = parts(one)
  local other_ms, other_seq = parts(other)
  return one_ms < other_ms or (one_ms == other_ms and one_seq < other_seq)
end

local function slowest(feed)
  local first
  for _, position in pairs(positions(feed)) do
    if not first or is_before(position, first) then
      first = position
    end
  end
  return first
end

-- Removes the lines that every reader has had; without readers the whole feed.
local function trim(feed)
  local position = slowest(feed)
  if not position then
    redis.call('DEL', feed)
    return
  end
  local ms, seq = string.match(position, '^(%d+)-(%d+)$')
  redis.call('XTRIM', feed, 'MINID', string.format('%s-%d', ms, tonumber(seq) + 1))
end

-- Above MAX_LINES the slowest readers lose their positions: a missing position is noticed, a missing line would not be.
local function write_line(feed, game, version, types)
  if not redis.call('XADD', feed, 'NOMKSTREAM', '*', 'game', game, 'version', version, 'types', types) then
    return  -- no readers
  end
  while redis.call('XLEN', feed) > MAX_LINES do
    local position = slowest(feed)
    for reader, at in pairs(positions(feed)) do
      if at == position then
        redis.call('XGROUP', 'DESTROY', feed, reader)
      end
    end
    trim(feed)
  end
end
