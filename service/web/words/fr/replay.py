"""The replay of a game, in French."""

from typing import Final

from service.web.words.shape.replay import ReplayWords

REPLAY: Final = ReplayWords(
    title="Revoir la partie",
    players="Joueurs",
    rail="Étapes",
    moment="Moment",
    back_scoring="Revenir au décompte précédent",
    back_turn="Reculer d’un tour",
    back_action="Reculer d’une action",
    play="Lecture",
    pause="Pause",
    next_action="Avancer d’une action",
    next_turn="Avancer d’un tour",
    next_scoring="Avancer au décompte suivant",
    keys="Les flèches avancent ou reculent d’une action, avec Maj d’un tour, avec Ctrl jusqu’à un décompte\u202f; "
    "Début et Fin vont aux extrémités, la barre d’espace lance la lecture.",
    speed="Vitesse",
    speeds={"slow": "lente", "normal": "normale", "fast": "rapide", "fastest": "très rapide"},
    eyes="À travers quels yeux\u202f?",
    all_knowing="toutes les cartes visibles",
    onlooker="comme spectateur",
    link="Copier le lien vers ce moment",
    dealt="Les cartes sont distribuées.",
    turn_begins="Tour {turn}\u00a0: à {name} de jouer.",
    draws="{name} pioche une carte.",
    earned="a rapporté {amount}",
    charts="Le déroulement de la partie",
    totals="Total en millions, tour après tour",
    races="Longueur des suites, tour après tour",
    leads="{name} est en tête",
    nobody_leads="plusieurs à égalité",
    as_tables="Les mêmes chiffres en tableaux",
    turn="Tour",
    scoring="Décompte",
    fork="Continuer à partir d’ici",
    fork_hint="Ouvre une nouvelle partie qui commence à ce moment. L’ancienne reste telle quelle.",
    fork_running="Seuls les joueurs d’une partie en cours peuvent la continuer, et seulement à partir du moment "
    "présent. Ce qu’ils ne voient pas est mélangé à nouveau.",
    person="Une personne",
    print="Imprimer",
    sheet_is_wide="La feuille est plus large que l’écran\u00a0: fais-la glisser sur le côté.",
)
