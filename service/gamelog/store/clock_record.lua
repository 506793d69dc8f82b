-- Puts a jump on record, unless another one has been recorded that the sender doesn't know: it may be the same.
--
-- KEYS  1 jumps   ARGV  1 the jump   2 the last one that the sender knows, or ""   3 most jumps on record
--
-- Returns {1}, or {0} where nothing was written.

if (redis.call('LINDEX', KEYS[1], -1) or '') ~= ARGV[2] then
  return {0}
end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -ARGV[3], -1)
return {1}
