-- Notes that a seat names an address, and counts that.
--
-- KEYS  1 what the seat has named last   2 its count   3 the addresses that the client has named
--       4 the seats that wait for the address
-- ARGV  1 the address   2 the seat   3 the nonce that it has with this address, or ""   4 a new one
--       5 seconds of a day   6 the seat's limit   7 the client's, or ""   8 the most seats that wait   9 the client
-- Where too many seats wait, one goes of the client that has named most of them: an old one, as long as the hash is
-- small enough to keep their order.
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
redis.call('HSET', KEYS[4], ARGV[2], ARGV[4] .. ' ' .. ARGV[9])
redis.call('EXPIRE', KEYS[4], 7 * ARGV[5])
local waiting, count, first, whose = redis.call('HGETALL', KEYS[4]), {}, {}, ARGV[9]
if #waiting > 2 * ARGV[8] then
  for at = 1, #waiting, 2 do
    local client = string.match(waiting[at + 1], ' (.*)$') or ''
    count[client], first[client] = (count[client] or 0) + 1, first[client] or waiting[at]
    whose = count[client] > (count[whose] or 0) and client or whose
  end
  redis.call('HDEL', KEYS[4], first[whose])
end
return {0, ARGV[4]}
