-- A game from a version on, at one moment.
--
-- KEYS  1 stream of the game   2 its header   3 its idempotency keys
-- ARGV  1 version after which entries are wanted   2 digest of an idempotency key, or ""
--
-- Returns {hash of the game's last event, the key's record, entries}; "" where there is none.

local record = ARGV[2] ~= '' and redis.call('HGET', KEYS[3], ARGV[2]) or ''
return {redis.call('HGET', KEYS[2], 'hash') or '', record, redis.call('XRANGE', KEYS[1], ARGV[1] + 1, '+')}
