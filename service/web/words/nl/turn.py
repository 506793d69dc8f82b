"""Playing, in Dutch."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.turn import KeyWords, MessageWords, ScoringWords, TurnWords

TURN: Final = TurnWords(
    heading="Jouw beurt tot nu toe",
    hint_pick="Kies een handkaart, een open kaart of de stapel.",
    hint_target="{card}: kies een rij.",
    step_append="{card} aan rij {number}",
    step_lay="{card} als spelmaker",
    earlier="Eerder: {step}",
    remove="Weglaten: {step}",
    change_steps=Plural(
        one="{n} klaargezette actie: tonen en wijzigen", other="{n} klaargezette acties: tonen en wijzigen"
    ),
    empty="Leegmaken",
    send=Plural(one="{n} actie versturen", other="{n} acties versturen"),
    waiting="Wachten op {name}.",
    sending="Wordt verstuurd …",
    unsent="Nog niet verstuurd: geen verbinding. Het gaat verder zodra die er weer is.",
    changed="De tafel is intussen veranderd: er is niets gedaan. Kies opnieuw.",
    retry="Nu proberen",
    take_now="{card} nemen",
    draw_now="Kaart trekken",
    with_before=Plural(
        one="Verstuurt eerst de klaargezette actie.", other="Verstuurt eerst de {n} klaargezette acties."
    ),
    back="Terug",
    ask_not="Niet meer vragen",
    next_game="Verder: jouw beurt met {names}",
)
KEYS: Final = KeyWords(
    title="Toetsenbord",
    take="de eerste, tweede of derde open kaart nemen",
    draw="van de stapel trekken",
    move="door rijen, hand en beurt gaan",
    choose="kiezen wat gemarkeerd is",
    escape="loslaten",
    empty="de beurt leegmaken",
    help="deze hulp tonen",
    line="Toetsen: 1 2 3 nemen, d trekken, pijlen en Enter kiezen, ⌫ leegmaken, ? alle toetsen.",
)
SCORING: Final = ScoringWords(
    title="Waardebepaling {round}",
    rounds="Waardebepalingen",
    no_round="Er was nog geen waardebepaling.",
    reasons={
        "monopoly": "monopolie",
        "longest": "langste rij",
        "shared_longest": "gedeelde langste rij",
        "second": "op één na langste rij",
        "shared_second": "gedeelde tweede plaats",
        "none": "te kort",
    },
    doubled="verdubbeld",
    player="Naam",
    income="Opbrengst",
    losses="Verliezen",
    empty_businessmakers="Lege spelmakers",
    hand_cards="Handkaarten",
    totals="Stand",
    total="Totaal",
    now="Als er nu een waardebepaling kwam",
    now_hint="Bedragen in miljoenen, tussen haakjes de lengte van de rij.",
    no_rows="Er ligt nog geen rij.",
    you="jij",
)
MESSAGES: Final = MessageWords(
    title="Berichten",
    label="Je bericht aan iedereen aan tafel",
    send="Bericht versturen",
    none="Er heeft nog niemand geschreven.",
    unread=Plural(one="{n} ongelezen", other="{n} ongelezen"),
)
