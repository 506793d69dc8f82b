"""The rules of the game, in French."""

from typing import Final

from service.web.words.shape.rules import RulesWords

RULES: Final = RulesWords(
    title="Les règles",
    lead=(
        "Reibach & Co. est un jeu de cartes d’Alan R. Moon pour deux à cinq joueurs.",
        "Tu poses des suites de cartes dans dix affaires au plus. Seules les suites les plus longues rapportent.",
        (
            "Trois fois, les suites sont comptées, à des moments que personne ne peut prévoir. À la fin, la personne "
            "qui a le plus d’argent gagne."
        ),
    ),
    cards="Les cartes",
    cards_lead="110 cartes\u00a0: neuf de chacune de ces dix affaires, et trois sortes particulières.",
    specials={
        "multitalent": "Il y en a cinq. Dans une suite, elle compte comme une carte de plus de son affaire.",
        "risk": "Il y en a cinq. Elle double ce que la suite rapporte à partir de là, et la ferme pour de bon.",
        "reibach": "Il y en a dix. Personne n’en a en main\u00a0: elles sortent de la pioche et amènent les décomptes.",
    },
    start="Au début",
    start_steps=(
        "Tout le monde reçoit quatre cartes.",
        "Trois cartes sont visibles sur la table.",
        "Les dix cartes Reibach sont mélangées à toutes les autres\u00a0: c’est la pioche.",
    ),
    turn="Ton tour",
    turn_lead="Tu as trois points d’action. Répartis-les à ton gré, dans n’importe quel ordre, même plusieurs "
    "fois sur la même action\u202f; mais utilise les trois, même à ton désavantage.",
    action="Action",
    cost="Points",
    actions={
        "take": ("Prendre", "Une carte visible vient dans ta main. La pioche comble aussitôt le vide."),
        "draw": ("Piocher", "La première carte de la pioche vient dans ta main. Personne d’autre ne la voit."),
        "lay_businessmaker": (
            "Poser une carte réceptrice",
            "N’importe quelle carte de ta main est montrée à tous, puis posée face cachée\u00a0: une suite commence.",
        ),
        "append": ("Ajouter", "Une carte de ta main est posée, visible, au bout d’une de tes propres suites."),
    },
    actions_note="Ce qui est posé reste posé\u00a0: aucune carte n’est jamais déplacée ni reprise.",
    rows="Les suites",
    rows_example="Une suite Or de longueur 3\u00a0: la carte réceptrice est face cachée, puis viennent deux cartes Or, "
    "une carte multi-affaires et, en travers, une carte risque. La suite est fermée et rapporte le double.",
    rows_rules=(
        (
            "Chaque suite commence par une carte réceptrice. Ce n’est qu’un emplacement\u00a0: sa face n’a pas "
            "d’importance et ne compte jamais. Une carte risque comme carte réceptrice ne double rien."
        ),
        (
            "La première carte posée dessus doit être une carte d’affaire. Elle fixe l’affaire de la suite\u202f; "
            "viennent ensuite des cartes de cette affaire, autant de cartes multi-affaires que l’on veut et, en "
            "dernier, une carte risque au plus."
        ),
        (
            "Tu as au plus une suite par affaire dans toute la partie\u202f; une suite fermée compte aussi. Et tu "
            "poses au plus dix cartes réceptrices. Plusieurs peuvent être vides en même temps."
        ),
        "Tu n’ajoutes des cartes qu’à tes propres suites.",
        (
            "Tous peuvent voir une carte réceptrice jusqu’au début du tour suivant de la personne qui l’a posée. "
            "Ensuite, personne ne peut plus la regarder, pas même elle."
        ),
    ),
    reibach="Les cartes Reibach",
    reibach_example="La piste Reibach\u00a0: cinq cartes sont sorties. Le premier décompte est venu avec la quatrième, "
    "le prochain viendra avec la septième.",
    reibach_rules=(
        "Une carte Reibach qui sort est mise de côté, et la carte suivante de la pioche la remplace.",
        "La quatrième, la septième et la dixième interrompent le jeu aussitôt\u00a0: les suites sont comptées.",
        (
            "Après les deux premiers décomptes, le tour interrompu continue avec les points qui restent. Après le "
            "troisième, la partie est finie."
        ),
    ),
    scoring="Un décompte",
    scoring_lead="Les affaires sont regardées une à une. La longueur d’une suite est le nombre de ses cartes d’affaire "
    "et multi-affaires. Seules comptent les suites avec au moins une carte sur la carte réceptrice.",
    case="Ta suite",
    earns="Millions",
    cases=(
        ("est la seule de son affaire, si courte soit-elle", "4"),
        ("est seule la plus longue", "3"),
        ("est la plus longue avec d’autres\u00a0: 4, partagés et arrondis vers le bas", "2, 1, 1, 0"),
        ("est seule la deuxième, derrière une seule plus longue", "1"),
        (
            "tout le reste\u202f; aussi une deuxième place partagée, ou une deuxième derrière plusieurs plus longues",
            "0",
        ),
    ),
    scoring_notes=(
        "Une carte risque double ce que sa suite vient de rapporter, à chaque décompte à partir de là.",
        "Le troisième décompte coûte aussi\u00a0: 2 par carte réceptrice sans carte dessus, et 1 par carte en main.",
    ),
    example="Un exemple",
    example_lead="Anna, Bert et Carla en sont au deuxième décompte.",
    player="Nom",
    row="Suite",
    reasons={
        "monopoly": "la seule",
        "longest": "la plus longue",
        "shared_longest": "la plus longue, à plusieurs",
        "second": "la deuxième",
        "shared_second": "deuxième, à plusieurs",
        "none": "rien",
    },
    end="La fin",
    end_rules=(
        (
            "Après le troisième décompte, la personne qui a le plus d’argent gagne. En cas d’égalité, la victoire est "
            "partagée."
        ),
        "Un total peut tomber au-dessous de zéro.",
    ),
    details="Ce que la règle imprimée laisse ouvert",
    details_rules=(
        (
            "Le vide ou la pioche pendant lesquels la quatrième ou la septième carte Reibach est sortie sont achevés "
            "après le décompte. D’autres peuvent alors sortir, et déclencher aussitôt le décompte suivant. Les points "
            "restent dépensés."
        ),
        "Avec la dixième carte Reibach tout s’arrête\u00a0: le vide reste vide, et une pioche ne donne pas de carte.",
        "La personne qui ouvre la table dit qui commence. Ensuite, on joue dans l’ordre des places.",
    ),
    variants="Variantes",
    variants_lead="Elles ne valent que si on les choisit en ouvrant la partie.",
    variants_texts={
        "expensive_specials": "Prendre une carte multi-affaires ou risque visible coûte deux points d’action. S’il "
        "reste un point dont on ne peut rien faire, il est perdu.",
        "staggered_start": "Dans l’ordre des tours, on commence avec 0, 1, 2, … millions.",
    },
    begin="Jouer",
)
