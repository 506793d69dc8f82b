-- Makes a release the newest one, and drops the oldest with what no other one has.
--
-- KEYS  1 content by address, and `releases`: the addresses of each, the newest release first
-- ARGV  1 this release's addresses   2 releases to keep   and in a second call: address, content, address, content …
-- Returns 0 where that second call is needed. Where this release is the newest already, nothing is written.

local known = redis.call('HGET', KEYS[1], 'releases') or ''
local releases, is_new = {ARGV[1]}, true
for release in string.gmatch(known, '[^;]+') do
  if release == ARGV[1] then
    is_new = false
  elseif #releases < tonumber(ARGV[2]) then
    table.insert(releases, release)
  end
end
if is_new and #ARGV == 2 then
  return 0
end
local kept = table.concat(releases, ';')
if kept == known then
  return 1
end
redis.call('HSET', KEYS[1], 'releases', kept, unpack(ARGV, 3))
local is_kept = {releases = true}
for address in string.gmatch(kept, '[^ ;]+') do
  is_kept[address] = true
end
for _, address in ipairs(redis.call('HKEYS', KEYS[1])) do
  if not is_kept[address] then
    redis.call('HDEL', KEYS[1], address)
  end
end
return 1
