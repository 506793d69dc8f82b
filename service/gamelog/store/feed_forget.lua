-- Removes a reader, and the lines that were kept for it alone. Behind feed.lua.
--
-- KEYS  1 the shard's feed      ARGV  1 reader   2 its second name

local found = positions(KEYS[1])
for _, name in ipairs(ARGV) do
  if found[name] then
    redis.call('XGROUP', 'DESTROY', KEYS[1], name)
  end
end
trim(KEYS[1])
return {}
