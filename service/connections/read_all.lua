-- Runs reading commands.
-- KEYS the key of each command   ARGV of each command the number of its words, and these
local replies, at = {}, 1
for number = 1, #KEYS do
  local words = tonumber(ARGV[at])
  replies[number] = redis.call(unpack(ARGV, at + 1, at + words))
  at = at + words + 1
end
return replies
