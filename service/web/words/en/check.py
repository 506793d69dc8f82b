"""The page on which a browser checks a game, in English."""

from typing import Final

from service.web.words.shape.check import CheckWords, FaultWords, NoteWords, StepWords

CHECK: Final = CheckWords(
    title="Check it yourself",
    what=(
        "Your browser works every step out by itself, from the game’s log alone. Nothing that the server claims is "
        "believed, and nothing is sent anywhere."
    ),
    file_label="The log of a game",
    file_hint="An export (.ndjson): choose it here, or drop it anywhere on this page.",
    receipt_label="Another receipt",
    receipt_hint=(
        "Those of this browser, and the service’s own, are checked without this. Paste the JSON of another one: it "
        "proves what the log was when you got it."
    ),
    again="Check with this receipt",
    save="Save the log as a file",
    save_receipt="Save a receipt",
    origins={
        "kept": "This browser got it while it played. A log that was changed since then fails here.",
        "fetched": (
            "Fetched from the service just now. It proves something to those who save it: what the service says from "
            "now on."
        ),
        "pasted": "Pasted by you.",
    },
    other_file="Check a file",
    back="To the game",
    steps_heading="Step by step",
    working="Working it out …",
    holds="holds",
    fails="fails",
    open="can’t be checked",
    all_hold="All steps hold: events 1 to {n} are as they must be.",
    all_hold_so_far="What can be checked of events 1 to {n} holds; a step below says what can’t be.",
    all_consistent=(
        "Events 1 to {n} fit together, but without a receipt kept elsewhere a rewritten log would look the same."
    ),
    passed_over="Unknown events were passed over.",
    broken="Event {version} ({type}) is not what it must be.",
    broken_receipt="The log is consistent, but it is not what the receipt says.",
    inputs="Given",
    formula="Rule",
    output="Worked out",
    expected="Expected",
    found="Found",
    whole="Show in full",
    too_large="This file is too large to be the log of a game.",
    no_crypto=(
        "This browser lends its cryptography only to pages with https. Open this page with https, or on localhost."
    ),
    bad_receipt="This is no receipt: it needs a version and a hash, as JSON.",
    steps=StepWords(
        form="The log is complete and in its one form",
        commitment="The seed is the one promised at the start",
        shuffle="The cards follow from the seed",
        chain="No event was changed",
        cards="Every card comes from where it must",
        play="The turns follow the rules",
        scores="The scores are what the rows give",
        fork="Where this game comes from",
        receipt="The log honours the receipt",
        signature="The service signed the receipt",
    ),
    meanings=StepWords(
        form=(
            "Each line is written in the only form that is hashed, versions count up by one, and time never goes back."
        ),
        commitment=(
            "Before the first card was dealt the server published a fingerprint of its secret seed. The seed that was "
            "published at the end must have that fingerprint."
        ),
        shuffle=(
            "Seed and the players’ own words make a stream of numbers; it shuffles the deck, card by card. Hands, "
            "display and draw pile must be exactly the result."
        ),
        chain=(
            "Each event’s hash covers the event and the hash before it: whoever changes one must change all that "
            "follow."
        ),
        cards=(
            "Each card taken lay in its slot, each card drawn or refilled was on top of the draw pile, each card laid "
            "was in the player’s hand."
        ),
        play="Seats take turns, each has three action points, and each row takes only cards that it may take.",
        scores="Lengths are counted again, rounds added up, and the winner found anew.",
        fork="This game began from another one.",
        receipt=(
            "A receipt holds the hash at its version. If it is the one worked out here, the log up to there is the "
            "same as then."
        ),
        signature="With the service’s public key anyone can see that the receipt is the service’s own.",
    ),
    notes=NoteWords(
        page="A page of events, not an export: its exact bytes could not be compared.",
        not_begun="The log doesn’t begin with the creation of a game: there is nothing to check.",
        hidden_seed="The seed is secret until the game is over. This step can be checked then.",
        seed_of_parent="The seed was public before this game began: it is that of the game it copies.",
        bound_by_nobody=(
            "No player added a word of their own after the seed was drawn, so the server could have chosen among seeds."
        ),
        bound_by_seats="Words of these players came after the seed was drawn, so the server could not choose: {seats}.",
        not_dealt="No cards were dealt.",
        consistent=(
            "The log is consistent in itself. Once the seed is known anyone could write another such log: only a "
            "receipt kept elsewhere proves that it is the original."
        ),
        not_over="The log shows its seed, but the game isn’t over: it is a copy of the operator’s.",
        stopped="Checked up to the event before version {version}; what comes after rests on it.",
        other_rules="This page doesn’t know the rules of this game.",
        passed_over="Events of types that this page doesn’t know were passed over: {types}.",
        as_far_as_shown="As far as the log shows its cards. Hidden ones can be checked when the game is over.",
        copy_of_parent="It copies a finished game. That the events are the same only the log of that game can prove.",
        position_of_parent=(
            "It began from what one seat saw of a running game. What that was, only the log of that game can prove; "
            "all other cards were dealt anew, which was checked above."
        ),
        no_receipt="There is no receipt to compare with.",
        proved_up_to="Events 1 to {version} are proved; later ones are only consistent.",
        proved_all="All events up to {version}, the last one, are proved.",
        receipt_of_hidden=(
            "The log names the same hash. That the hash belongs to these events can be checked when the seed is public."
        ),
        no_keys="The service’s public keys could not be fetched.",
        no_ed25519="This browser can’t check signatures: it doesn’t know Ed25519. Newer versions of all browsers do.",
    ),
    faults=FaultWords(
        not_json="This line is no JSON.",
        not_canonical="This line isn’t written as an export writes it.",
        no_line_feed="The last line is cut off.",
        members="The event doesn’t have the members that it must have.",
        version="The versions don’t count up by one.",
        unexpected="Another event must come here.",
        value="A value is none that can stand here.",
        hash="This is no hash.",
        time="The time can’t be right.",
        empty="The log holds no event.",
        differs="The values are not those that follow from what came before.",
        deal="The cards are not those of the shuffle.",
        chain="The event doesn’t have the hash that follows from it: it was changed, or its hash was.",
        card="It is another card.",
        not_in_hand="This card was not in the hand.",
        too_many="There are more cards of a kind than the deck has.",
        row="The row can’t take this card.",
        points="There are not enough action points.",
        cut="The log ends too early.",
        origin="What it says of the other game can’t be.",
        receipt="The log is not the one that the receipt was given for.",
        unknown_key="The service lists no such key.",
        bad_signature="The signature is not that of the key.",
    ),
)
