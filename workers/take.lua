-- KEYS 1 the queue   2 the job that has ended   ARGV 1 what the keys of jobs begin with
-- Returns the id of the next job, and its fields where there are any; or nothing.
redis.call('DEL', KEYS[2])
local id = redis.call('LPOP', KEYS[1])
if not id then
  return {}
end
local fields = redis.pcall('HGETALL', ARGV[1] .. id)
return {id, fields.err and {} or fields}
