-- A new reader, in two steps: the first keeps all lines from now on under a second name, the second gives the reader
-- that position. A process that crashes in between begins again. Loaded after feed.lua.
--
-- KEYS  1 the shard's feed      ARGV  1 reader   2 its second name   3 step, "begin" or "finish"
--
-- Returns {1} where there is something left to do in the step after this one, else {0}.

local found = positions(KEYS[1])
if found[ARGV[1]] then
  return {0}
end
if ARGV[3] == 'finish' then
  if not found[ARGV[2]] then
    return {1}  -- the position was lost meanwhile
  end
  redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], found[ARGV[2]])
  redis.call('XGROUP', 'DESTROY', KEYS[1], ARGV[2])
  return {0}
end
if not found[ARGV[2]] then
  redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[2], '$', 'MKSTREAM')
end
return {1}
