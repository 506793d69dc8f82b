"""The replay of a game, in English."""

from typing import Final

from service.web.words.shape.replay import ReplayWords

REPLAY: Final = ReplayWords(
    title="Replay",
    players="Players",
    rail="Steps of the replay",
    moment="Moment",
    back_scoring="Back to the scoring before",
    back_turn="Back one turn",
    back_action="Back one action",
    play="Play",
    pause="Pause",
    next_action="On one action",
    next_turn="On one turn",
    next_scoring="On to the next scoring",
    keys="Arrow keys go one action on or back, with Shift one turn, with Ctrl to a scoring; Home and End go to the "
    "ends, the space bar plays.",
    speed="Speed",
    speeds={"slow": "slow", "normal": "normal", "fast": "fast", "fastest": "very fast"},
    eyes="From whose eyes?",
    all_knowing="all cards open",
    onlooker="an onlooker",
    link="Copy link to this moment",
    dealt="The cards are dealt.",
    turn_begins="Turn {turn}: {name} to play.",
    draws="{name} draws a card.",
    earned="earned {amount}",
    charts="How the game went",
    totals="Total in millions, turn by turn",
    races="How long the rows were, turn by turn",
    leads="{name} is ahead",
    nobody_leads="several are level",
    as_tables="The same numbers as tables",
    turn="Turn",
    scoring="Scoring",
    fork="Continue from here",
    fork_hint="Opens a new game that begins where the replay stands. This one stays as it is.",
    fork_running="A game that is still on can be continued by its players only, and from the present moment only. "
    "What the player can’t see is shuffled anew.",
    person="A person",
    print="Print",
    sheet_is_wide="The sheet is wider than the screen: swipe it sideways.",
)
