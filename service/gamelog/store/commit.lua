-- The one way to write what depends on how a game is: all of some commands, if reading commands have the replies that are
-- expected of them, or nothing. Reads first, writes last: a script that fails is not rolled back. Loaded after feed.lua.
--
-- KEYS  1 header of the game   2 its stream   then the keys that the commands name
-- ARGV  1 the version with which the entries begin that a refusal returns, or ""   2 how many replies are expected
--       of each of these the word that refuses, the reply as a text, and the command; then the commands that write
--       A command is the number of its words, and these: the first is its name, the second its key.
--
-- Returns {"done"}; or the first word that refuses, the reply in the place of the expected one, and the header with the
-- entries from that version on: so a conflict costs no second trip, and a resend finds its own request id.

local at, opened = 3, nil

-- What the server has no command for.
local own = {
  state = function()
    return redis.call('HMGET', KEYS[1], 'version', 'erasures', 'hash')
  end,
  -- The first bytes of the hash with which the stream ends. Where all is in an archive, that ends as the header says.
  tip = function()
    local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
    if last then
      return string.sub(last[2][6] or '', 1, 6)
    end
    return redis.call('HEXISTS', KEYS[1], 'archive') == 1 and string.sub(redis.call('HGET', KEYS[1], 'hash') or '', 1, 6)
  end,
  feed = write_line,
  -- A game that leaves a list of listed games keeps the time at which it was opened in the next one.
  leave = function(list, game)
    opened = redis.call('ZSCORE', list, game) or opened
    redis.call('ZREM', list, game)
  end,
  list = function(list, game)
    local now = redis.call('TIME')
    redis.call('ZADD', list, 'NX', opened or string.format('%d%06d', now[1], now[2]), game)
  end,
  -- Notices of a seat. One that was on its way is dropped when it is claimed: its record is missing.
  forget = function(outbox, seat)
    for _, field in ipairs(redis.call('HKEYS', outbox)) do
      if string.find(field, '^[rmg]|' .. seat .. '|') then
        redis.call('HDEL', outbox, field)
      end
    end
  end,
  unwait = function(lane, pattern)
    local cursor = '0'
    repeat
      local page = redis.call('ZSCAN', lane, cursor, 'MATCH', pattern, 'COUNT', 1000)
      for place = 1, #page[2], 2 do
        redis.call('ZREM', lane, page[2][place])
      end
      cursor = page[1]
    until cursor == '0'
  end,
  bury = function(dead, beginning)
    for _, letter in ipairs(redis.call('LRANGE', dead, 0, -1)) do
      if string.sub(letter, 3, #beginning + 2) == beginning then  -- behind its `["`
        redis.call('LREM', dead, 0, letter)
      end
    end
  end,
}

local function run()
  local first, last = at + 1, at + ARGV[at]
  at = last + 1
  if own[ARGV[first]] then
    return own[ARGV[first]](unpack(ARGV, first + 1, last))
  end
  return redis.call(unpack(ARGV, first, last))
end

local function text(reply)
  if type(reply) == 'table' then
    for place, part in ipairs(reply) do
      reply[place] = part or ''
    end
    return table.concat(reply, ' ')
  end
  return tostring(reply or '')
end

for _ = 1, tonumber(ARGV[2]) do
  local word, expected = ARGV[at], ARGV[at + 1]
  at = at + 2
  local found = text(run())
  if found ~= expected then
    if ARGV[1] == '' then
      return {word, found}
    end
    return {word, found, redis.call('HGETALL', KEYS[1]), redis.call('XRANGE', KEYS[2], ARGV[1], '+')}
  end
end
while at <= #ARGV do
  run()
end
return {'done'}
