"""The page on which a browser checks a game, in French."""

from typing import Final

from service.web.words.shape.check import CheckWords, FaultWords, NoteWords, StepWords

CHECK: Final = CheckWords(
    title="Vérifier soi-même",
    what=(
        "Ton navigateur refait chaque étape lui-même, à partir du seul journal de la partie. Rien de ce que le "
        "serveur affirme n’est cru, et rien n’est envoyé."
    ),
    file_label="Le journal d’une partie",
    file_hint="Un export (.ndjson)\u00a0: choisis-le ici, ou dépose-le n’importe où sur cette page.",
    receipt_label="Autre reçu",
    receipt_hint=(
        "Les reçus de ce navigateur et celui du service sont vérifiés d’office. Si tu en as un autre, colle son "
        "JSON\u00a0: il prouve ce qu’était le journal à ce moment."
    ),
    again="Vérifier avec ce reçu",
    save="Enregistrer le journal",
    save_receipt="Enregistrer le reçu",
    origins={
        "kept": "Ce navigateur l’a reçu en jouant. Un journal modifié depuis échoue ici.",
        "fetched": (
            "Obtenu du service à l’instant. Qui l’enregistre pourra prouver plus tard ce que le service dit maintenant."
        ),
        "pasted": "Collé par toi.",
    },
    other_file="Vérifier un fichier",
    back="Vers la partie",
    steps_heading="Étape par étape",
    working="Calcul en cours…",
    holds="juste",
    fails="faux",
    open="non vérifiable",
    all_hold="Toutes les étapes sont justes\u00a0: les événements 1 à {n} sont ce qu’ils doivent être.",
    all_hold_so_far="Ce qui est vérifiable des événements 1 à {n} est juste\u202f; le reste est indiqué ci-dessous.",
    all_consistent=(
        "Les événements 1 à {n} sont cohérents, mais sans reçu gardé ailleurs, un journal réécrit paraîtrait identique."
    ),
    passed_over="Des événements inconnus ont été passés.",
    broken="L’événement {version} ({type}) n’est pas ce qu’il doit être.",
    broken_receipt="Le journal est cohérent, mais n’est pas ce que dit le reçu.",
    inputs="Donné",
    formula="Règle",
    output="Calculé",
    expected="Attendu",
    found="Trouvé",
    whole="Tout afficher",
    too_large="Ce fichier est trop grand pour être le journal d’une partie.",
    no_crypto=(
        "Ce navigateur ne prête sa cryptographie qu’aux pages en https. Ouvre cette page en https ou sur localhost."
    ),
    bad_receipt="Ce n’est pas un reçu\u00a0: il faut une version et un hash, en JSON.",
    steps=StepWords(
        form="Le journal est complet et sous sa seule forme",
        commitment="La graine est celle promise au début",
        shuffle="Les cartes découlent de la graine",
        chain="Aucun événement n’a été modifié",
        cards="Chaque carte vient d’où elle doit venir",
        play="Les tours suivent les règles",
        scores="Les décomptes sont ce que donnent les suites",
        fork="D’où vient cette partie",
        receipt="Le journal est conforme au reçu",
        signature="Le service a signé le reçu",
    ),
    meanings=StepWords(
        form=(
            "Chaque ligne est écrite sous la seule forme qui est hachée, les versions avancent d’une unité, et le "
            "temps ne recule jamais."
        ),
        commitment=(
            "Avant la première donne, le serveur a publié une empreinte de sa graine secrète. La graine publiée à la "
            "fin doit avoir cette empreinte."
        ),
        shuffle=(
            "La graine et les mots donnés par les joueurs donnent une suite de nombres\u202f; elle mélange le jeu, "
            "carte par carte. Mains, cartes visibles et pioche doivent en être exactement le résultat."
        ),
        chain=(
            "Le hash de chaque événement couvre l’événement et le hash précédent\u00a0: qui en change un doit "
            "changer tous les suivants."
        ),
        cards=(
            "Chaque carte prise était à sa place, chaque carte piochée ou remplacée était en haut de la pioche, chaque "
            "carte posée était en main."
        ),
        play="Chacun joue à son tour, a trois points d’action, et chaque suite ne reçoit que des cartes permises.",
        scores="Les longueurs sont recomptées, les décomptes additionnés et le gagnant retrouvé.",
        fork="Cette partie est issue d’une autre.",
        receipt=(
            "Un reçu contient le hash de sa version. Si c’est celui calculé ici, le journal jusque-là est le même "
            "qu’alors."
        ),
        signature="Avec la clé publique du service, chacun voit que le reçu vient de lui.",
    ),
    notes=NoteWords(
        page="Une page d’événements, pas un export\u00a0: les octets exacts n’ont pas pu être comparés.",
        not_begun="Le journal ne commence pas par la création d’une partie\u00a0: il n’y a rien à vérifier.",
        hidden_seed="La graine est secrète jusqu’à la fin de la partie. Cette étape sera vérifiable alors.",
        seed_of_parent="La graine était publique avant cette partie\u00a0: c’est celle de la partie copiée.",
        bound_by_nobody=(
            "Aucun joueur n’a ajouté de mot après le tirage de la graine\u202f; le serveur aurait donc pu choisir "
            "parmi des graines."
        ),
        bound_by_seats=(
            "Les mots de ces joueurs sont venus après le tirage de la graine\u202f; le serveur ne pouvait pas "
            "choisir\u00a0: {seats}."
        ),
        not_dealt="Aucune carte n’a été distribuée.",
        consistent=(
            "Le journal est cohérent. Une fois la graine connue, chacun pourrait en écrire un autre\u00a0: seul un "
            "reçu gardé ailleurs prouve que c’est l’original."
        ),
        not_over="Le journal montre sa graine, mais la partie n’est pas finie\u00a0: une copie de l’exploitant.",
        stopped="Vérifié jusqu’à l’événement avant la version {version}\u202f; la suite en dépend.",
        other_rules="Cette page ne connaît pas les règles de cette partie.",
        passed_over="Des événements de types inconnus ont été passés\u00a0: {types}.",
        as_far_as_shown="Dans la mesure où le journal montre les cartes. Les cachées seront vérifiables après la fin.",
        copy_of_parent=(
            "Elle copie une partie finie. Que les événements soient les mêmes, seul le journal de celle-ci le prouve."
        ),
        position_of_parent=(
            "Elle part de ce qu’une place voyait d’une partie en cours. Ce que c’était, seul le journal de celle-ci le "
            "prouve\u202f; toutes les autres cartes ont été redistribuées, ce qui est vérifié plus haut."
        ),
        no_receipt="Il n’y a pas de reçu à comparer.",
        proved_up_to="Les événements 1 à {version} sont prouvés\u202f; les suivants sont seulement cohérents.",
        proved_all="Tous les événements jusqu’au {version}, le dernier, sont prouvés.",
        receipt_of_hidden=(
            "Le journal nomme le même hash. Qu’il soit celui de ces événements sera vérifiable quand la graine sera "
            "publique."
        ),
        no_keys="Les clés publiques du service n’ont pas pu être obtenues.",
        no_ed25519=(
            "Ce navigateur ne peut pas vérifier les signatures\u00a0: il ne connaît pas Ed25519. Les versions "
            "récentes de tous les navigateurs le connaissent."
        ),
    ),
    faults=FaultWords(
        not_json="Cette ligne n’est pas du JSON.",
        not_canonical="Cette ligne n’est pas écrite comme un export l’écrit.",
        no_line_feed="La dernière ligne est coupée.",
        members="L’événement n’a pas les membres qu’il doit avoir.",
        version="Les versions n’avancent pas d’une unité.",
        unexpected="Un autre événement doit venir ici.",
        value="Une valeur ne peut pas être ici.",
        hash="Ce n’est pas un hash.",
        time="Le temps ne peut pas être juste.",
        empty="Le journal ne contient aucun événement.",
        differs="Les valeurs ne sont pas celles qui découlent de ce qui précède.",
        deal="Les cartes ne sont pas celles du mélange.",
        chain="L’événement n’a pas le hash qui en découle\u00a0: il a été modifié, ou son hash.",
        card="C’est une autre carte.",
        not_in_hand="Cette carte n’était pas en main.",
        too_many="Il y a plus de cartes d’une sorte que le jeu n’en a.",
        row="La suite ne peut pas recevoir cette carte.",
        points="Il n’y a pas assez de points d’action.",
        cut="Le journal s’arrête trop tôt.",
        origin="Ce qui est dit de l’autre partie est impossible.",
        receipt="Le journal n’est pas celui pour lequel le reçu a été donné.",
        unknown_key="Le service n’a pas de telle clé.",
        bad_signature="La signature n’est pas celle de la clé.",
    ),
)
