-- Marks a list as whole after its rebuild. One without the mark of that rebuild was deleted meanwhile, or another
-- process has marked it, and stays as it is. May run twice.
--
-- KEYS  1 the list   ARGV  1 mark of the rebuild   2 mark of a whole list
--
-- Marks have the score +inf: no game has it, and none of those who look for what is due ever finds it.

if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '+inf', '+inf')
  redis.call('ZADD', KEYS[1], '+inf', ARGV[2])
end
return {}
