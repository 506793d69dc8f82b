"""`reibach worker`, with which no analysis begins by itself: it would be measured with whatever is played beside it.

A game's end begins one, for time that nobody needs: some seconds of processor time, where an action takes a thousandth.
"""

from unittest.mock import patch

from config.settings import Settings
from workers import __main__, scoring

if __name__ == "__main__":
    with patch.object(scoring, "MOST_UNASKED", -1):
        raise SystemExit(__main__.run(Settings.read()))
