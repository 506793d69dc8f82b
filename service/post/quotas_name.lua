-- Notes that a seat names an address, and counts that.
--
-- KEYS  1 what the seat has named last   2 its count   3 the addresses that the client has named
--       4 the seats that wait for the address
-- ARGV  1 the address   2 the seat   3 the nonce that it has with this address, or ""   4 a new one
--       5 seconds of a day   6 the seat's limit   7 the client's, or ""   8 the most seats that wait
-- Returns {0, the nonce that counts}, or {-1, seconds to wait}: then nothing is counted.
if ARGV[3] ~= '' and redis.call('GET', KEYS[1]) == ARGV[1] .. ARGV[3] then
  return {0, ARGV[3]}
end
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[6]) then
  return {-1, redis.call('TTL', KEYS[2])}
end
if ARGV[7] ~= '' and redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 0 then
  if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[7]) then
    return {-1, redis.call('TTL', KEYS[3])}
  end
  redis.call('SADD', KEYS[3], ARGV[1])
  redis.call('EXPIRE', KEYS[3], ARGV[5], 'NX')
end
if redis.call('INCR', KEYS[2]) == 1 then
  redis.call('EXPIRE', KEYS[2], ARGV[5])
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[4], 'EX', ARGV[5])
if redis.call('HLEN', KEYS[4]) < tonumber(ARGV[8]) or redis.call('HEXISTS', KEYS[4], ARGV[2]) == 1 then
  redis.call('HSET', KEYS[4], ARGV[2], ARGV[4])
  redis.call('EXPIRE', KEYS[4], 7 * ARGV[5])
end
return {0, ARGV[4]}
