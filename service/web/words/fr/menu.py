"""The menu of a game, in French."""

from typing import Final

from service.web.words.shape.menu import ClockWords, MenuWords, NoticeWords, OrderWords, SeatWords

MENU: Final = MenuWords(
    title="Menu de la partie",
    close="Fermer",
    back="Retour au menu",
    saved="Enregistré.",
    seat="Ma place et son lien",
    take_seat="Prendre place",
    help="Aide",
    replay="Revoir la partie",
    score_sheet="Feuille de score",
    check="Vérifier la partie",
    ask="Demander avant de prendre ou de piocher",
    how="Comment jouer",
    how_lines=(
        (
            "Tu poses des suites de cartes. À chaque décompte, une affaire rapporte 3 millions à la suite la plus "
            "longue et 1 à la deuxième, ou 4 si la suite est seule."
        ),
        (
            "Les quatrième, septième et dixième cartes Reibach amènent un décompte. Le troisième finit la partie "
            "et coûte 2 par carte réceptrice sans carte et 1 par carte en main."
        ),
        (
            "Un tour a trois points d’action. Le nombre sous une carte dit ce qu’il en coûte de la "
            "prendre\u202f; poser une carte en coûte un."
        ),
        "Touche une carte visible ou la pioche\u00a0: elle va aussitôt dans ta main.",
        (
            "Touche une carte de ta main, puis «\u00a0nouvelle suite\u00a0»\u00a0: elle y est posée face cachée, "
            "comme carte réceptrice, et ne compte pas. Dessus ne vont que des cartes d’une seule affaire\u00a0: "
            "touches-en une, puis la suite."
        ),
        "Ce que tu poses est une liste jusqu’à l’envoi. Ensuite, rien ne bouge plus.",
    ),
)
SEAT: Final = SeatWords(
    link="Lien vers ta place",
    link_hint="Il ouvre cette place sur un autre appareil. Qui l’a joue pour toi.",
    copy="Copier",
    copied="Copié",
    others="Liens des autres places",
    others_hint="Tu as ouvert cette partie. Chaque lien est celui d’une place\u00a0: qui l’a y joue. Ne l’envoie "
    "qu’à la personne à qui il est destiné.",
    link_of="Lien pour {name}",
    renew="Créer un nouveau lien",
    renew_hint="L’ancien lien n’est plus valable\u202f; les avis et les ordres permanents prennent fin aussi.",
    renewed="L’ancien lien n’est plus valable.",
    try_out="Essayer à partir d’ici",
    try_out_hint="Ouvre une copie de la partie contre des bots. Ce que tu ne vois pas est redistribué.",
    have_link="Tu as un lien\u202f?",
    paste="Lien vers une place, ou son jeton",
    sit_down="Prendre place",
    take_over="Une place est abandonnée",
    your_name="Ton nom",
    lost="Lien perdu\u202f?",
    lost_hint="Si ton adresse est confirmée pour une place de cette partie, un mail apporte un nouveau lien.",
    mail="Adresse mail",
    ask_mail="Recevoir un mail",
    mail_sent="Si l’adresse est juste, un mail est en route. Son lien vaut {hours} heures.",
)
NOTICES: Final = NoticeWords(
    title="Avis",
    hint="Ce que tu veux savoir quand tu n’es pas là.",
    email="Adresse mail",
    confirmed="Les mails vont à {mail}.",
    unconfirmed="Un mail à {mail} contient un lien\u00a0: confirmes-y l’adresse.",
    when="M’avertir quand",
    on={
        "turn": "c’est mon tour",
        "reminder": "mon temps s’épuise",
        "scoring": "un décompte a eu lieu",
        "over": "la partie est finie",
        "message": "quelqu’un écrit",
    },
    not_watching="Pas tant que la table est ouverte",
    language="Langue",
    webhook="Vers un programme ou un chat",
    url="Adresse (https)",
    format="Format",
    standard="pour programmes (signé)",
    secret="Secret",  # noqa: S106 - the label of one
    save="Enregistrer",
    end="Arrêter tous les avis",
    deliveries="Envoyés récemment",
    channels={"webhook": "programme ou chat", "email": "mail"},
    statuses={"delivered": "remis", "retry": "nouvel essai prévu", "refused": "refusé", "dead": "abandonné"},
    errors={
        "address-refused": "adresse non autorisée",
        "timeout": "pas de réponse à temps",
        "connection-failed": "pas de connexion",
        "tls-failed": "pas de connexion sûre (TLS)",
        "answer-invalid": "réponse illisible",
        "redirect-not-followed": "les redirections ne sont pas suivies",
        "status": "réponse",
        "no connection": "pas de connexion",
        "connection lost": "connexion perdue",
        "mail refused": "mail refusé",
        "log-in refused": "identification refusée",
        "server refused": "refus du serveur de mails",
        "server lacks STARTTLS or log-in": "serveur de mails sans chiffrement ou identification",
        "certificate not trusted": "certificat non reconnu",
        "recipient refused": "destinataire refusé",
        "game can't be read": "partie illisible",
        "internal error": "erreur interne",
    },
)
ORDERS: Final = OrderWords(
    title="Ordres permanents",
    hint="Ce qui se fait tout seul au début de ton tour\u00a0: de chaque étape, la première action alors possible. "
    "S’il n’y en a pas, le reste tombe.",
    none="Tu n’en as pas donné.",
    dropped="Au tour {turn}, le reste est tombé\u00a0:",
    kind="Action",
    kinds={"take": "prendre", "draw": "piocher", "append": "poser", "lay_businessmaker": "comme carte réceptrice"},
    what="Quelle carte",
    where="Où",
    slot="carte visible {number}",
    row="suite {number}",
    add_step="Autre étape",
    add_alternative="ou sinon…",
    remove_step="Retirer l’étape",
    remove_alternative="Retirer\u00a0: {alternative}",
    save="Donner l’ordre",
    remove="Reprendre tous les ordres",
)
CLOCK: Final = ClockWords(
    title="Vacances, pause, abandon",
    bot_plays="Tu as été longtemps sans jouer\u00a0: un bot joue pour toi.",
    reclaim="Reprendre ma place au bot",
    vacation="Vacances",
    vacation_hint="L’horloge de tes tours s’arrête. 30 jours par partie au plus, en deux fois.",
    until="De retour le",
    take_vacation="Partir en vacances",
    on_vacation="Tu es en vacances jusqu’au {time}.",
    end_vacation="Revenir maintenant",
    pause="Pause",
    pause_hint="Si tous sont d’accord, l’horloge s’arrête pour tous.",
    agree_pause="Accepter la pause",
    resume="Finir la pause",
    cancel="Annuler la partie",
    cancel_hint="Si tous sont d’accord, la partie est finie et personne ne gagne.",
    agree_cancel="Accepter l’annulation",
    agreed="D’accord jusqu’ici\u00a0: {names}",
    withdraw="Retirer mon accord",
    resign="Abandonner",
    resign_hint="Un bot continue à ta place, pour de bon.",
    sure="Oui, je quitte cette partie",
)
