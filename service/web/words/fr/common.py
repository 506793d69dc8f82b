"""What all pages say, in French."""

from typing import Final

from service.web.words.shape.common import CommonWords

COMMON: Final = CommonWords(
    skip="Aller au contenu",
    menu="Menu",
    navigation="Pages",
    languages="Langue",
    new_game="Nouvelle partie",
    lobby="Parties ouvertes",
    games="Mes parties",
    rules="Règles",
    by_post="Jouer par courrier",
    api="Pour les programmes",
    table="Table",
    loading="Chargement…",
    needs_script="Cette page a besoin de JavaScript. Les tables et les mails montrent leur partie même sans lui.",
    plain_table="Afficher la table sans JavaScript",
    plain_hint=(
        "Sans JavaScript, tu vois la table en texte et tu joues avec des boutons\u00a0: colles-y le "
        "jeton de ta place, qui suit «\u00a0token=\u00a0» dans ton lien. Tu peux aussi jouer par mail, "
        "ou avec ton propre programme."
    ),
    offline="Le serveur est injoignable pour le moment.",
    unavailable="Le serveur ne peut pas répondre pour le moment.",
    too_many="Trop de requêtes à la fois.",
    again_hint="Recharge la page dans quelques secondes.",
    open_seat="place libre",
    damaged_link="Ce lien est abîmé ou incomplet\u00a0: redemande-le.",
    void_link="Ce lien vers une place n’est pas valable, ou ne l’est plus\u00a0: redemande-le.",
    void_seat="Le lien vers ta place n’est plus valable\u202f; tu regardes.",
    no_page="Cette page n’existe pas.",
    no_page_hint="Peut-être un caractère de l’adresse s’est-il perdu. Voici par où continuer\u00a0:",
)
