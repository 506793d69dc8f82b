"""Answer mails: what they ask for, or what is said about them."""

from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import HAND_CARDS
from domain.commands import Append, Draw, LayBusinessmaker, Take, TakeCard, Wish
from domain.words.catalogue import LANGUAGES, read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence
from domain.words.reply import MOST_ACTIONS, Reply, read_reply, write_wish
from domain.words.reply.clause import EXPECTED
from domain.words.reply.quoting import LONGEST_LINE, MOST_CHARACTERS, MOST_LINES
from domain.words.reply.vocabulary import Role
from tests.support.profiles import examples

# One mail a line: its body, "/" between its lines, and its actions as in English, or "line: the sentence's name".
# A slot or row is written as people count, from 1.
MAILS = """
take 2                                          = take 2
draw                                            = draw
lay oil                                         = lay oil
append gold 1                                   = append gold 1
take gold                                       = take gold
TAKE 3!                                         = take 3
Take 1, draw                                    = take 1, draw
take 1; lay oil; append oil 2                   = take 1, lay oil, append oil 2
take 1 / draw                                   = take 1, draw
take 1 and draw                                 = take 1, draw
I'd like to take the card no. 2, please         = take 2
please draw a card from the draw pile           = draw
lay the luxury goods as businessmaker           = lay luxury
lay jewelry face down                           = lay jewellery
append a 2x to row 1                            = append risk 1
append the risk card (2x) to row 10             = append risk 10
put a joker on row 2                            = append multitalent 2
lay gold on row 1                               = append gold 1
take the 2nd                                    = take 2
*take 2*                                        = take 2
take gold from the display                      = take gold
nimm 2                                          = take 2
2 nehmen                                        = take 2
Nimm bitte Karte 3.                             = take 3
Ich ziehe eine Karte vom Stapel                 = draw
zieh                                            = draw
leg Öl                                          = lay oil
OEL LEGEN                                       = lay oil
lege Luxusgueter als Geschaeftemacher           = lay luxury
Luxusgüter auslegen                             = lay luxury
leg Gold an 1                                   = append gold 1
Lege Gold an Reihe 1 an, dann zieh              = append gold 1, draw
hänge ein Multitalent an Reihe 3 an             = append multitalent 3
Risikokarte (2x) anlegen Reihe 2                = append risk 2
Ich möchte Glücksspiel aus der Mitte nehmen     = take gambling
neem 2                                          = take 2
Ik wil graag kaart 1 nemen                      = take 1
trek                                            = draw
leg olie                                        = lay oil
leg kunst                                       = lay art
leg kunst als spelmaker                         = lay art
leg goud aan rij 1                              = append gold 1
leg waardepapieren aan bij rij 4                = append shares 4
voeg een risicokaart toe aan rij 2              = append risk 2
prends 2                                        = take 2
je prends l'or                                  = take gold
prends la carte n° 3 s'il te plaît              = take 3
pioche                                          = draw
je tire une carte de la pioche                  = draw
pose pétrole                                    = lay oil
POSE PETROLE                                    = lay oil
pose la carte Jeux de hasard comme réceptrice   = lay gambling
ajoute or 1                                     = append gold 1
J{apostrophe}ajoute l{apostrophe}or à la suite 1 puis je pioche       = append gold 1, draw
pose une carte multi-affaires sur la suite 2    = append multitalent 2
ajoute la carte risque (X2) à la suite 3        = append risk 3
- take 1 / - draw                               = take 1, draw
1. draw / 2. take 1                             = draw, take 1
1) 2 nehmen                                     = take 2
• take 1 / • lay oil                            = take 1, lay oil
Hi! / take 2                                    = take 2
Hello Anna and Bert, / / take 2 / / Thanks! / Carla = take 2
Hallo Anna, nimm 2                              = take 2
Bonjour à tous, / prends 2 / merci              = take 2
draw / Best regards / Anna Gold / take it easy  = draw
zieh / / Viele Grüße / Anna                     = draw
trek / Groetjes, Anna                           = draw
pioche, à bientôt                               = draw
draw / / Anna                                   = draw
draw / / See you in Rome or later.              = draw
draw / / take 1                                 = draw, take 1
draw / thanks / take 1                          = draw, take 1
draw / take care, Anna                          = draw
draw / > take 1                                 = draw
draw / -- / take 1                              = draw
draw / On Mon, 21 Nov 2026, Reibach wrote: / take 1 = draw
draw / On Mon, 21 Nov 2026 at 10:00, Reibach / <play@example.org> wrote: / take 1 = draw
draw / Am 21.11.2026 um 10:00 schrieb Reibach <a@example.org>: / take 1 = draw
draw / Op ma 21 nov. 2026 schreef Reibach: / take 1 = draw
draw / Le 21 nov. 2026 à 10:00, Reibach a écrit : / take 1 = draw
draw / -----Original Message----- / take 1      = draw
draw / --- Ursprüngliche Nachricht --- / take 1 = draw
draw / -----Oorspronkelijk bericht----- / take 1 = draw
draw / -----Message d'origine----- / take 1     = draw
draw / Von: Reibach / take 1                    = draw
draw / De : Reibach / take 1                    = draw
draw / Sent from my phone                       = draw
draw / Von meinem iPhone gesendet               = draw
                                                = 0: reply.empty
Hello Anna,                                     = 0: reply.empty
> take 2                                        = 0: reply.empty
👍                                              = 0: reply.empty
Hi Anna / What a game                           = 2: reply.unknown
what happened?                                  = 1: reply.unknown
take 2?                                         = 1: reply.unknown
2                                               = 1: reply.unknown
take 1 and 2                                    = 1: reply.unknown
draw / 2                                        = 2: reply.unknown
Hi Anna, how are you? / take 2                  = 1: reply.unknown
Hi Anna, only if gold is left, take gold        = 1: reply.unknown
draw / / If it is gold: / append gold 1         = 3: reply.unknown
draw / / only if it is gold, append gold 1      = 3: reply.unknown
draw / / no, wait / take 1                      = 3: reply.unknown
Maybe / draw                                    = 1: reply.unknown
Hi only if gold is left, take gold              = 1: reply.unknown
On Monday / > Reibach wrote: / draw             = 1: reply.unknown
draw / / gold to row 1                          = 3: reply.unknown
draw / Anna                                     = 2: reply.unknown
take 1 draw                                     = 1: reply.unknown
take a card from the draw pile                  = 1: reply.unknown
prends une carte de la pioche                   = 1: reply.unknown
take                                            = 1: reply.take
take 0                                          = 1: reply.take
take 4                                          = 1: reply.take
take -1                                         = 1: reply.take
take 1.5                                        = 1: reply.take
take 99999999999999999999                       = 1: reply.take
take 2 cards                                    = 1: reply.take
take 2 from the display                         = 1: reply.take
take 2 from the pile                            = 1: reply.take
take the first 2                                = 1: reply.take
take 2 gold                                     = 1: reply.take
take gold or oil                                = 1: reply.take
take a Reibach card                             = 1: reply.take
2 Karten nehmen                                 = 1: reply.take
2. nehmen                                       = 1: reply.take
nicht 2 nehmen                                  = 1: reply.take
take Öl                                         = 1: reply.take
don't draw                                      = 1: reply.draw
draw 2                                          = 1: reply.draw
draw / thanks / I will draw again tomorrow      = 3: reply.draw
lay                                             = 1: reply.lay
lay no oil                                      = 1: reply.lay
lay oil 1                                       = 1: reply.lay
lay gold gold                                   = 1: reply.lay
lay oil as businessmaker in row 3               = 1: reply.lay
append gold                                     = 1: reply.append
append gold 0                                   = 1: reply.append
append gold 11                                  = 1: reply.append
append gold 1 2                                 = 1: reply.append
lege Gold an                                    = 1: reply.append
leg kunst aan                                   = 1: reply.append
take 1 / take 1 / take 1 / take 1               = 4: reply.too-many
"""
TABLES = [read(language, "reply") for language in LANGUAGES]
WORDS_OF_ALL = sorted(
    {word for table in TABLES for words in table.roles.values() for word in words}
    | {word for table in TABLES for names in table.cards.values() for word in names}
    | {word for table in TABLES for word in (*table.greetings, *table.farewells)}
    | {*",;?.:>-&\n", "\n\n", "0", "1", "2", "3", "10", "2x", "wrote:", "On "}
)
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=300),
    st.lists(st.sampled_from(WORDS_OF_ALL), max_size=60).map(" ".join),
)
WISHES: list[Wish] = [
    Draw(),
    *(Take(slot=slot) for slot in range(3)),
    *(kind(card=card) for kind in (TakeCard, LayBusinessmaker) for card in HAND_CARDS),
    *(Append(card=card, row=row) for card in HAND_CARDS for row in range(10)),
]


def _show(reply: Reply) -> str:
    if reply.error:
        return f"{reply.error.values.get('line', 0)}: {reply.error.name}"
    return ", ".join(map(_name, reply.wishes))


def _name(wish: Wish) -> str:
    match wish:
        case Take(slot=slot):
            return f"take {slot + 1}"
        case TakeCard(card=card):
            return f"take {card}"
        case Draw():
            return "draw"
        case LayBusinessmaker(card=card):
            return f"lay {card}"
        case Append(card=card, row=row):
            return f"append {card} {row + 1}"


@pytest.mark.parametrize(
    "line", MAILS.replace("{apostrophe}", "\u2019").strip("\n").splitlines(), ids=lambda line: " ".join(line.split())
)
def test_mails_of_the_table(line: str) -> None:
    """Each mail asks for what stands behind it."""
    body, _, expected = line.rpartition("= ")
    reply = read_reply("\r\n".join(part.strip() for part in body.split(" /")))
    assert _show(reply) == expected
    assert bool(reply.wishes) is (reply.error is None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_is_read_as_it_is_written(language: str) -> None:
    """Alone, in capitals, and several in one mail."""
    for wish in WISHES:
        text = write_wish(wish, language)
        assert read_reply(text) == read_reply(text.upper()) == Reply((wish,)), text
    chance = Random(1)
    for mark in ("\n", "; ", ", ", "\n\n"):
        three = tuple(chance.sample(WISHES, 3))
        assert read_reply(mark.join(write_wish(wish, language) for wish in three)) == Reply(three)


@given(ANY_TEXT)
def test_any_text_is_read(body: str) -> None:
    """Nothing raises; there are a few actions or an error, never both, and the error has words in each language."""
    reply = read_reply(body)
    assert len(reply.wishes) <= MOST_ACTIONS
    assert bool(reply.wishes) is (reply.error is None)
    if reply.error:
        for language in LANGUAGES:
            phrase_refusal(reply.error, language).encode()


@examples(0.6)
@given(ANY_TEXT, ANY_TEXT)
def test_what_is_quoted_changes_nothing(body: str, quoted: str) -> None:
    """Below a line that begins a quotation any text may stand."""
    assert read_reply(f"{body}\n> {quoted}\n{quoted}") == read_reply(body)


def test_an_error_names_the_line_and_what_was_expected() -> None:
    """The line by number and text, which is never a template, with an example in the player's language."""
    error = read_reply("Hallo,\n\nnimm {card} \u202e\x1b" + "x" * 99).error
    assert error is not None
    assert phrase_refusal(error, "de") == (
        "Zeile 3 („nimm {card}  " + "x" * 46 + "…“): Nenne eine offene Karte mit ihrem Platz, von 1 an gezählt, "
        "oder mit Namen, zum Beispiel: nimm 2."
    )
    assert phrase_refusal(Sentence("reply.too-many", {"line": 4, "most": 3}), "en") == (
        "Line 4 is one action too many: a mail may have 3."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_of_errors_are_understood(language: str) -> None:
    """What an error shows as an example can be sent as it is."""
    for name in ("reply.empty", "reply.no-text", "reply.unknown", *EXPECTED.values()):
        text = phrase_refusal(Sentence(name, {"line": 1, "text": "?", "most": 3}), language)
        example = text.rstrip(".").rpartition(": ")[2]
        for action in example.split(", "):
            assert read_reply(action).wishes, text


def test_a_word_has_one_role() -> None:
    """In each language, and each role is one of the reader's."""
    for table in TABLES:
        assert [role.upper() for role in table.roles] == [role.name for role in Role]
        words = [word for of_role in table.roles.values() for word in of_role]
        assert len(words) == len(set(words)), sorted(word for word in words if words.count(word) > 1)


def test_work_is_bounded() -> None:
    """Large texts of any kind take no more time than many small ones, and what stands far below isn't read."""
    start = process_time()
    for _ in range(40):
        read_reply("hi anna\n" * (MOST_LINES - 1) + "draw")
    usual = process_time() - start
    for unit in (
        "hi\n",
        "on \n",
        "a ",
        "1.",
        "\n",
        "- ",
        "take 1 ",
        "\u017f",
        "\ufdfa",
        "hi,",
        "hi ",
        "hi " + "a," * 98 + "\n",
        "le " + "\ufdfa" * 196 + "\n",
    ):
        start = process_time()
        read_reply("draw\n\n" + unit * (65536 // len(unit)))
        assert process_time() - start < usual * 3, unit
    assert read_reply("\n" * MOST_LINES + "draw").wishes == ()
    head = "draw\n\n".ljust(MOST_CHARACTERS - len("append gold 1") - 1, ".") + "\n"
    assert read_reply(head + "append gold 10").wishes == (Draw(),)  # and not row 1
    assert read_reply(head + "append gold 1").wishes == (Draw(), Append(card="gold", row=0))


@pytest.mark.parametrize("length", [LONGEST_LINE, MOST_CHARACTERS, 5 * MOST_CHARACTERS])
def test_a_line_that_is_too_long_is_named(length: int) -> None:
    """Also where the end of what is read stands within it; it is never taken for its beginning."""
    for before, number in (("", 1), ("draw\n", 2)):
        error = read_reply(f"{before}take {'1' * length}").error
        assert (error.name, error.values["line"]) == ("reply.long", number)
        assert phrase_refusal(error, "en").endswith("is too long: a line may have 200 characters.")
