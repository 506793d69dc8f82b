"""The rules of the game, in English."""

from typing import Final

from service.web.words.shape.rules import RulesWords

RULES: Final = RulesWords(
    title="The rules",
    lead=(
        "Reibach & Co. is a card game by Alan R. Moon for two to five players.",
        "You lay rows of cards in up to ten businesses. In each business the longest rows earn money.",
        "The rows are scored three times, at moments that no player can foresee. The most money at the end wins.",
    ),
    cards="The cards",
    cards_lead="110 cards: nine of each of these ten businesses, and three special kinds.",
    specials={
        "multitalent": "Five of them. On a row it counts as one more card of that row’s business.",
        "risk": "Five of them. It doubles what a row earns from then on, and closes it for good.",
        "reibach": "Ten of them. They are never in a hand: they turn up in the draw pile and start the scorings.",
    },
    start="At the beginning",
    start_steps=(
        "Each player gets four cards.",
        "Three cards are laid face up on the table: the display.",
        "The ten Reibach cards are shuffled into all other cards. That is the draw pile.",
    ),
    turn="Your turn",
    turn_lead="You have three action points. Spend them as you like, in any order, and also several times on the same "
    "action; but spend all three, even if it does you no good.",
    action="Action",
    cost="Points",
    actions={
        "take": ("Take", "One card of the display goes to your hand. The draw pile fills the gap at once."),
        "draw": ("Draw", "The top card of the draw pile goes to your hand. Only you see it."),
        "lay_businessmaker": (
            "Lay a businessmaker",
            "Any card of your hand is shown to all and then lies face down: it begins a new row.",
        ),
        "append": ("Append", "A card of your hand goes, face up, to the end of one of your own rows."),
    },
    actions_note="Cards on the table are never moved or taken back.",
    rows="Rows",
    rows_example="A row of length 3 in Gold: the businessmaker lies face down, then come two Gold cards, a "
    "multitalented card and, across, a risk card. The row is closed and earns double.",
    rows_rules=(
        (
            "Every row begins with a businessmaker. It is only a place: what is on its face doesn’t matter and never "
            "counts. A risk card as a businessmaker doubles nothing."
        ),
        (
            "The first card on it must be a business card. It fixes the row’s business; after it come cards of that "
            "business, any number of multitalented cards, and at most one risk card, as the last."
        ),
        (
            "You have at most one row of each business in the whole game; a closed row still counts as yours. And you "
            "lay at most ten businessmakers. Several of them may wait for their first card at a time."
        ),
        "You lay cards on your own rows only.",
        (
            "All can see a businessmaker until its owner’s next turn begins. From then on no player may look at it, "
            "not even its owner."
        ),
    ),
    reibach="The Reibach cards",
    reibach_example="The Reibach track: five cards have turned up. The first scoring was at the fourth; the next one "
    "comes with the seventh.",
    reibach_rules=(
        "A Reibach card that turns up is put aside, and the next card of the draw pile takes its place.",
        "The fourth, the seventh and the tenth of them interrupt the game, at once: the rows are scored.",
        (
            "After the first two scorings the player whose turn it is goes on with the points that are left. After the "
            "third the game is over."
        ),
    ),
    scoring="A scoring",
    scoring_lead="Each business is scored by itself. The length of a row is the number of its business cards and "
    "multitalented cards. Only rows with at least one card on the businessmaker take part.",
    case="Your row",
    earns="Millions",
    cases=(
        ("is the only one of its business, however short", "4"),
        ("is the longest, alone", "3"),
        ("shares the longest place with others: 4, divided among them and rounded down", "2, 1, 1, 0"),
        ("is the second longest, alone, behind one that is longest alone", "1"),
        ("anything else; also a shared second place, or a second place behind several longest", "0"),
    ),
    scoring_notes=(
        "A risk card doubles what its row has just earned, in every scoring from then on.",
        "The third scoring also costs: 2 for each businessmaker without a card on it, and 1 for each card in hand.",
    ),
    example="An example",
    example_lead="Anna, Bert and Carla are in the second scoring.",
    player="Player",
    row="Row",
    reasons={
        "monopoly": "the only row",
        "longest": "the longest",
        "shared_longest": "shared longest",
        "second": "second",
        "shared_second": "shared second",
        "none": "nothing",
    },
    end="The end",
    end_rules=(
        "After the third scoring the player with the most money wins. Equal totals share the victory.",
        "A total can fall below zero.",
    ),
    details="Where the printed rules leave something open",
    details_rules=(
        (
            "The gap or the draw in which the fourth or seventh Reibach card turned up is completed after the scoring. "
            "That may turn up further ones, and so start another scoring at once. The points stay spent."
        ),
        "The tenth Reibach card ends the game at once: the gap stays empty, and a draw gives no card.",
        "The player who opens the game chooses who starts. The seats take their turns in order.",
    ),
    variants="Variants",
    variants_lead="Both are off unless they are chosen when the game is opened.",
    variants_texts={
        "expensive_specials": "Taking an open multitalented or risk card from the display costs two action points. If "
        "one point is left and nothing can be done with it, it is lost.",
        "staggered_start": "In the order of turns the players begin with 0, 1, 2, … million.",
    },
    begin="Play",
)
