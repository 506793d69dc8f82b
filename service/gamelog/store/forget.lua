-- Removes a game that doesn't exist from the lists of what waits for a worker.
-- KEYS 1 its header   2 and so on: the lists   ARGV 1 the game
if redis.call('EXISTS', KEYS[1]) == 1 then
  return {0}
end
for list = 2, #KEYS do
  redis.call('ZREM', KEYS[list], ARGV[1])
end
return {1}
