"""The start page, in French."""

from typing import Final

from service.web.words.shape.start import NewGameWords, StartWords

START: Final = StartWords(
    title="Reibach & Co. dans le navigateur",
    what=(
        "De deux à cinq joueurs construisent des suites dans dix affaires, et seules les plus longues rapportent.",
        (
            "Un tour compte trois points d’action\u00a0: prendre une carte visible, piocher, ou poser des "
            "cartes sur ses propres suites."
        ),
        (
            "Trois fois par partie vient un décompte, quand la quatrième, la septième et la dixième carte "
            "Reibach apparaissent, et nul ne sait quand."
        ),
    ),
    demo="Essayer une partie contre des bots",
    demo_hint="Un clic, sans compte.",
    guest="Novice",
)
NEW_GAME: Final = NewGameWords(
    title="Nouvelle partie",
    players="Qui joue\u202f?",
    seat="Place {number}",
    kind="Qui occupe la place {number}\u202f?",
    person="Joueur avec un lien",
    open="Place libre",
    bots={
        "greedy": "Bot\u00a0: greedy (solide)",
        "shark": "Bot\u00a0: shark (fort)",
        "random": "Bot\u00a0: random (au hasard)",
    },
    name="Nom à la place {number}",
    your_name="Ton nom",
    add="Ajouter une place",
    remove="Retirer la place {number}",
    pace="À quel rythme\u202f?",
    pace_none="Sans limite de temps",
    pace_day="1 jour par tour",
    pace_three_days="3 jours par tour",
    pace_own="Autre limite",
    turn_time="Temps par tour",
    unit="Unité",
    minutes="minutes",
    hours="heures",
    days="jours",
    reminder="Rappeler quand il reste un tiers du temps",
    on_timeout="Quand le temps est écoulé",
    on_timeout_bot="un bot termine le tour",
    on_timeout_wait="la partie attend encore",
    more="Variantes, qui commence, visibilité",
    starts="Qui commence\u202f?",
    starts_random="Le hasard décide",
    listed="Montrer parmi les parties ouvertes",
    listed_hint="Tout le monde peut alors regarder et prendre une place libre.",
    create="Ouvrir la partie",
    created="La partie est ouverte",
    created_hint="Chaque lien est celui d’une place\u00a0: qui l’a y joue. Ne l’envoie qu’à la personne à qui il "
    "est destiné. Jusqu’à ce que chacun ait joué, les liens sont aussi dans le menu de la table, sous "
    "«\u00a0Ma place et son lien\u00a0».",
    link_of="Lien pour {name}",
    open_link="Lien pour les places libres",
    copy="Copier",
    copied="Copié",
    share="Partager",
    mail="Par mail",
    mail_subject="Reibach & Co.\u00a0: une place pour {name}",
    mail_subject_open="Reibach & Co.\u00a0: une place est libre",
    mail_text="Pour jouer, c’est ici\u00a0: {link}",
    to_table="Aller à la table",
)
