-- The one way to write what depends on how a game is: all of some commands, if reading commands have the replies that are
-- expected of them, or nothing. Reads first, writes last: a script that fails is not rolled back. Loaded after feed.lua.
--
-- KEYS  1 header of the game   2 its stream   3 to 5 the shard's due lists   then the keys that the commands name
-- ARGV  1 the version with which the entries begin that a refusal returns, or ""
--       of each expected reply the word that refuses, the reply as a text, and the command; ""; the commands that write
--       A command is the number of its words, and these: the first is its name, the second its key.
--
-- Returns {"done"}; or the first word that refuses, the reply in the place of the expected one, and the header with the
-- entries from that version on: so a conflict costs no second trip, and a resend finds its own request id.

local at, opened = 2, nil

-- What the server has no command for.
local own = {
  -- Where the game is, if its stream ends with the entry that the header names. Where all is in an archive, that does.
  state = function(head)
    local version, erasures, hash, archive = unpack(redis.call('HMGET', head, 'version', 'erasures', 'hash', 'archive'))
    local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
    if hash and (last and string.sub(last[2][6], 1, 6) ~= string.sub(hash, 1, 6) or not last and not archive) then
      return 'damaged'
    end
    return {version, erasures, hash}
  end,
  -- Tells the feed's readers, and those who watch the game.
  feed = function(feed, game, version, types)
    write_line(feed, game, version, types)
    redis.call('PUBLISH', KEYS[2], version)
  end,
  -- The game waits for a worker in this due list, and in no other; without a time in none.
  wait = function(list, game, at)
    for place = 3, 5 do
      if KEYS[place] == list and at ~= '' then
        redis.call('ZADD', list, at, game)
      else
        redis.call('ZREM', KEYS[place], game)
      end
    end
  end,
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

while ARGV[at] ~= '' do
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
at = at + 1
while at <= #ARGV do
  run()
end
return {'done'}
