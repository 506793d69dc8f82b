-- Enqueues a job, unless it is queued. Returns 1, else 0.
-- KEYS 1 the job  2 its queue  3 names of RQ's queues
-- ARGV 1 job id  2 LPUSH or RPUSH  3 how long a queue is searched  4 expiry in seconds  5 and so on: fields of the job
if redis.call('EXISTS', KEYS[1]) == 1 then
  if redis.call('LLEN', KEYS[2]) > tonumber(ARGV[3]) or redis.call('LPOS', KEYS[2], ARGV[1]) then
    return 0
  end
  redis.call('DEL', KEYS[1])  -- it runs, or is lost
end
redis.call('SADD', KEYS[3], KEYS[2])
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call(ARGV[2], KEYS[2], ARGV[1])
return 1
