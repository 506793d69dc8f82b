-- When the first jobs were enqueued. SORT with GET would need the right to read every key of the server.
-- KEYS 1 a queue   ARGV 1 what the keys of jobs begin with  2 how many jobs
local times = {}
for i, job in ipairs(redis.call('LRANGE', KEYS[1], 0, ARGV[2] - 1)) do
  local at = redis.pcall('HGET', ARGV[1] .. job, 'enqueued_at')
  times[i] = type(at) == 'string' and at  -- else an error: the key is no job's
end
return times
