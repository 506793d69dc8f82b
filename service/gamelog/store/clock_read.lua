-- The store's time, and the jumps of its clock that are on record. Reads only.
--
-- KEYS  1 jumps, of shard 0: on a cluster the clock of the node that has this key counts
--
-- Returns {seconds since 1970, microseconds, jumps}.

local time = redis.call('TIME')
return {time[1], time[2], redis.call('LRANGE', KEYS[1], 0, -1)}
