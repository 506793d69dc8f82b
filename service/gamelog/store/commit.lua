-- The one way to write what depends on how a game is: all of some commands, if all is as expected, or nothing. Reads
-- first, writes last: a script that fails is not rolled back. Loaded after feed.lua.
--
-- KEYS  1 header of the game   2 its stream   3 to 5 the shard's due lists   then the keys that the commands name
-- ARGV  1 the version with which the entries begin that a refusal returns, or ""
--       2 the header's field with the generation of the token that asks, and 3 what it must be; or "" twice
--       4 version and 5 hash that the header must have, or "" twice
--       6 number of erasures that it must have, where the stream must end with the header's entry, too; or ""
--       of each other expected reply the word that refuses, the reply, and the command; ""; the commands that write
--       A command is the number of its words, and these: the first is its name, the second its key.
--
-- Returns {"done"}; or the first word that refuses, the reply in the place of the expected one, and the header with the
-- entries from that version on: so a conflict costs no second trip, and a resend finds its own request id.

local from, token, generation, version, hash, erasures = unpack(ARGV, 1, 6)
local header = redis.call('HMGET', KEYS[1], 'version', 'hash', 'erasures', 'archive', token)
local at, word, reply = 7, nil, ''

if (header[5] or '') ~= generation then
  word = 'void'
end
while not word and ARGV[at] ~= '' do
  local last = at + 2 + ARGV[at + 2]
  reply = tostring(redis.call(unpack(ARGV, at + 3, last)) or '')
  if reply ~= ARGV[at + 1] then
    word = ARGV[at]
  end
  at = last + 1
end
if not word and erasures ~= '' and header[2] then
  local tip = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
  -- Where all of a game is in an archive, that ends with the header's entry.
  if tip and string.sub(tip[2][6], 1, 6) ~= string.sub(header[2], 1, 6) or not tip and not header[4] then
    word = 'damaged'
  end
end
if not word and version ~= '' and (header[1] ~= version or header[2] ~= hash) then
  word = 'conflict'
end
if not word and erasures ~= '' and (header[3] or '0') ~= erasures then
  word = 'conflict'
end
if word and from == '' then
  return {word, reply}
end
if word then
  return {word, reply, redis.call('HGETALL', KEYS[1]), redis.call('XRANGE', KEYS[2], from, '+')}
end

local opened
-- What the server has no command for.
local own = {
  -- Appends entries, of each its id, time, events and check: with the names of fields there were twice as many words.
  add = function(stream, ...)
    local words = {...}
    for place = 1, #words, 4 do
      local id, elapsed, events, check = unpack(words, place, place + 3)
      redis.call('XADD', stream, id, 't', elapsed, 'e', events, 'c', check)
    end
  end,
  -- Appends the last entry of those that are written, and tells the feed's readers, and those who watch the game.
  extend = function(feed, game, id, elapsed, events, check, version, hash, types)
    redis.call('XADD', KEYS[2], id, 't', elapsed, 'e', events, 'c', check)
    redis.call('HSET', KEYS[1], 'version', version, 'hash', hash)
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

at = at + 1
while at <= #ARGV do
  local last = at + ARGV[at]
  local write = own[ARGV[at + 1]]
  if write then
    write(unpack(ARGV, at + 2, last))
  else
    redis.call(unpack(ARGV, at + 1, last))
  end
  at = last + 1
end
return {'done'}
