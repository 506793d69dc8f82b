-- KEYS 1 when the last jump was seen, of shard 0: on a cluster the clock of the node that has this key counts
local time = redis.call('TIME')
return {time[1], time[2], redis.call('GET', KEYS[1]) or ''}
