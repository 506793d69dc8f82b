"""Playing, in French."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.turn import KeyWords, MessageWords, ScoringWords, TurnWords

TURN: Final = TurnWords(
    heading="Ton tour jusqu’ici",
    hint_pick="Choisis une carte de ta main, une carte visible ou la pioche.",
    hint_target="{card}\u00a0: choisis une suite.",
    step_append="{card} sur la suite {number}",
    step_lay="{card} comme carte réceptrice",
    earlier="Avancer\u00a0: {step}",
    remove="Retirer\u00a0: {step}",
    change_steps=Plural(
        one="{n} action préparée\u00a0: montrer et modifier", other="{n} actions préparées\u00a0: montrer et modifier"
    ),
    empty="Vider",
    send=Plural(one="Envoyer {n} action", other="Envoyer {n} actions"),
    waiting="En attente de {name}.",
    sending="Envoi…",
    unsent="Pas encore envoyé\u00a0: pas de connexion. L’envoi reprend dès qu’elle revient.",
    changed="La table a changé entre-temps\u00a0: rien n’a été fait. Choisis à nouveau.",
    retry="Essayer maintenant",
    take_now="Prendre {card}",
    draw_now="Piocher une carte",
    with_before=Plural(one="Envoie d’abord l’action préparée.", other="Envoie d’abord les {n} actions préparées."),
    back="Retour",
    ask_not="Ne plus demander",
    next_game="À toi de jouer avec {names}",
)
KEYS: Final = KeyWords(
    title="Clavier",
    take="prendre la première, deuxième ou troisième carte visible",
    draw="piocher",
    move="parcourir les suites, la main et le tour",
    choose="choisir ce qui est marqué",
    escape="relâcher",
    empty="vider le tour",
    help="montrer cette aide",
    line="Clavier\u00a0: 1 2 3 prendre, d piocher, flèches et Entrée choisir, ⌫ vider, ? toutes les touches.",
)
SCORING: Final = ScoringWords(
    title="Décompte {round}",
    rounds="Décomptes",
    no_round="Il n’y a pas encore eu de décompte.",
    reasons={
        "monopoly": "monopole",
        "longest": "suite la plus longue",
        "shared_longest": "égalité pour la plus longue",
        "second": "deuxième suite",
        "shared_second": "égalité pour la deuxième",
        "none": "trop courte",
    },
    doubled="doublé",
    player="Nom",
    income="Revenu",
    losses="Pertes",
    empty_businessmakers="Cartes réceptrices vides",
    hand_cards="Cartes en main",
    totals="Totaux",
    total="Total",
    now="Si le décompte avait lieu maintenant",
    now_hint="Montants en millions, entre parenthèses la longueur de la suite.",
    no_rows="Il n’y a pas encore de suite.",
    you="toi",
)
MESSAGES: Final = MessageWords(
    title="Messages",
    label="Ton message à toute la table",
    send="Envoyer le message",
    none="Personne n’a encore écrit.",
    unread=Plural(one="{n} non lu", other="{n} non lus"),
)
