"""How workers divide what is due among them."""

from typing import Final

CLAIM: Final = """
-- KEYS 1 list of games by the time they are due   ARGV 1 now  2 when to look again (both ms since 1970)  3 how many
-- Whoever claims a game puts it off in the same step, so that no two workers claim it at once.
local games = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, game in ipairs(games) do
  redis.call('ZADD', KEYS[1], 'XX', ARGV[2], game)
end
return games
"""
