-- KEYS 1 a due list   ARGV 1 now (ms since 1970). All of its games are due.
for _, game in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
  redis.call('ZADD', KEYS[1], ARGV[1], game)
end
