-- Adds notices of one game, each at most once: a marker holds the last version notified of, for each seat, channel
-- and type.
--
-- KEYS  1 the game's outbox   2 the shard's first attempts
-- ARGV  1 now (ms since 1970)   2 the version up to which the feed has been read, or ""
--       3 to 10, 11 to 18 and so on, of each notice: its record's name, its marker or "", its version, its receiver,
--       the record, the name of what is known of those that gather, or "", their pause, and by how much they may run
--       ahead of it (ms)
--
-- A new receiver gets the version that was sent to an earlier one. Once a game is over and everything is
-- settled, one version, the floor, replaces all markers (outbox_settle.lua). A notice without a
-- marker, such as an answer, is always taken. A notice that gathers joins one that waits, and leaves no earlier than
-- the last one allows (outbox_seal.lua); those that may run ahead of the pause are by themselves. The channels of chats
-- have one pace in a game: who names one after the other gets no more through.
--
-- Returns {number of notices added}.

local floor = tonumber(redis.call('HGET', KEYS[1], 'floor') or '0')
local game = string.match(KEYS[1], ':outbox:(.*)$')
local added = 0
for at = 3, #ARGV, 8 do
  local record, marker, version, receiver = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3]
  local gathering, due = ARGV[at + 5], ARGV[1]
  local is_new = marker == '' or version == 0 or version > floor
  if is_new and marker ~= '' then
    local marked = redis.call('HGET', KEYS[1], marker)
    if marked then
      local last, whom = string.match(marked, '^(%d+) (.*)$')
      is_new = version > tonumber(last) or (version == tonumber(last) and receiver ~= whom)
    end
    if is_new then
      redis.call('HSET', KEYS[1], marker, version .. ' ' .. receiver)
    end
  end
  if is_new and gathering ~= '' then
    local open, sealed, from = string.match(redis.call('HGET', KEYS[1], gathering) or '- - 0', '^(%S+) (%S+) (%d+)$')
    local pace = string.match(gathering, '^g|all')
    from = pace and (redis.call('HGET', KEYS[1], pace) or '0') or from
    local now, leaves = tonumber(ARGV[1]), tonumber(from) - ARGV[at + 7]
    if redis.call('HEXISTS', KEYS[1], open) == 1 then
      is_new = false
    elseif tonumber(ARGV[at + 7]) > 0 and leaves <= now then
      from = string.format('%d', math.max(now, tonumber(from)) + ARGV[at + 6])
      redis.call('HSET', KEYS[1], gathering, '- ' .. sealed .. ' ' .. from)
      if pace then
        redis.call('HSET', KEYS[1], pace, from)
      end
    else
      redis.call('HSET', KEYS[1], gathering, record .. ' ' .. sealed .. ' ' .. from)
      due = math.max(now, leaves)
    end
  end
  if is_new then
    redis.call('HSET', KEYS[1], record, ARGV[at + 4])
    redis.call('ZADD', KEYS[2], due, game .. '|' .. record)
    added = added + 1
  end
end
if ARGV[2] ~= '' and tonumber(ARGV[2]) > tonumber(redis.call('HGET', KEYS[1], 'read') or '0') then
  redis.call('HSET', KEYS[1], 'read', ARGV[2])
end
return {added}
