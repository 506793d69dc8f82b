-- Lets notices of a shard go now that wait for their next attempt, later than a lease can end: none is sent twice.
--
-- KEYS  1 the shard's retries
-- ARGV  1 now   2 the latest end of a lease (both ms since 1970)   3 the channel, or "" for all   4 the game, likewise
--
-- Returns {their number}.

local count = 0
for _, notice in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '+inf')) do
  local game, channel = string.match(notice, '^([^|]*)|r|[^|]*|([^|]*)|')
  if (ARGV[3] == '' or ARGV[3] == channel) and (ARGV[4] == '' or ARGV[4] == game) then
    redis.call('ZADD', KEYS[1], ARGV[1], notice)
    count = count + 1
  end
end
return {count}
