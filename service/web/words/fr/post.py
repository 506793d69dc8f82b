"""Play by post, in French."""

from typing import Final

from service.web.words.shape.post import PostWords

POST: Final = PostWords(
    title="Jouer par courrier",
    lead=(
        "Une partie par courrier dure des jours ou des semaines\u00a0: le service t’avertit quand c’est ton tour, et "
        "tu joues quand tu as le temps. Il ne faut ni programme ni compte."
    ),
    parts=(
        (
            "Ouvrir une partie",
            (
                (
                    "Choisis sur la page d’accueil combien de temps un tour peut durer\u00a0: un jour, trois jours ou "
                    "une autre limite. Sans limite, aucun tour ne finit de lui-même."
                ),
                (
                    "Chaque joueur reçoit son propre lien. Qui l’a voit la main et joue à cette place\u00a0: ne "
                    "l’envoie donc qu’à la personne à qui il est destiné."
                ),
            ),
        ),
        (
            "Être averti",
            (
                (
                    "Indique dans le menu de la partie, sous «\u00a0Avis\u00a0», une adresse mail, un webhook de "
                    "Discord ou de Slack, ou celui d’un programme. Tu apprends que c’est ton tour, que ton temps "
                    "s’épuise, qu’un décompte a eu lieu, que la partie est finie ou que quelqu’un a écrit."
                ),
                (
                    "Une nouvelle adresse reçoit d’abord un seul mail, avec un lien pour la confirmer. Rien d’autre "
                    "n’arrive avant. À la fin de chaque mail, un lien arrête les mails de cette partie."
                ),
                "Ne transfère pas ces mails\u00a0: leurs liens sont des clés de ta place.",
            ),
        ),
        (
            "Jouer son tour",
            (
                (
                    "Un mail énumère ce que tu peux faire. Un lien y ouvre la table avec une action préparée\u202f; "
                    "seul le bouton, là-bas, la joue."
                ),
                (
                    "Si le service accepte les réponses, le mail le dit\u00a0: réponds par une action par ligne, "
                    "trois au plus."
                ),
            ),
        ),
        (
            "Jouer d’avance",
            (
                (
                    "Les ordres permanents, dans le menu, sont exécutés dès que ton tour commence\u00a0: de chaque "
                    "étape, la première action alors possible. Personne d’autre n’apprend que tu en as."
                ),
            ),
        ),
        (
            "Quand le temps est écoulé",
            (
                (
                    "En retard une fois\u00a0: un bot joue le reste de ce tour. En retard deux fois de suite\u00a0: "
                    "le bot continue pour toi, jusqu’à ce que tu reprennes ta place, par un bouton à la table ou par "
                    "une réponse à n’importe quel mail de la partie."
                ),
                "S’il a été choisi que la partie attende, rien n’est joué pour personne.",
            ),
        ),
        (
            "Congés",
            (
                (
                    "Les vacances arrêtent l’horloge de tes propres tours\u00a0: trente jours par partie au plus, en "
                    "deux fois. Si tous acceptent une pause, elle s’arrête pour tous."
                ),
            ),
        ),
        (
            "Lien perdu",
            (
                (
                    "Avec une adresse confirmée, demande un nouveau lien dans le menu, sous «\u00a0Prendre "
                    "place\u00a0». L’ancien n’est alors plus valable. Si d’autres connaissent ton lien, crées-en un "
                    "nouveau sous «\u00a0Ma place et son lien\u00a0»."
                ),
            ),
        ),
    ),
    answers="Ce qu’une réponse peut dire",
    action="Action",
    answer="Ligne",
    answers_lines=(
        ("prendre la deuxième carte visible", "prends 2"),
        ("piocher", "pioche"),
        ("poser Pétrole comme carte réceptrice", "pose pétrole"),
        ("ajouter Or à ta première suite", "ajoute or à la suite 1"),
        ("ajouter une carte multi-affaires à la suite 2", "ajoute multi-affaires à la suite 2"),
    ),
    answers_notes=(
        (
            "Les cartes visibles et les suites se comptent à partir de 1, comme dans le mail. Les majuscules et les "
            "accents sont sans importance\u202f; les salutations et le mail cité sont ignorés."
        ),
        (
            "Rien n’est deviné\u00a0: si une ligne n’est pas comprise, rien n’est joué, et la réponse dit laquelle "
            "c’était."
        ),
    ),
    more="Tout cela en détail (en anglais)",
)
