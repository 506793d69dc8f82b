"""The answers as JSON schemas (2020-12): those of `answers.toml`, and what follows from the game itself."""

import tomllib
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from domain.analysis.reasons import CODES
from domain.audit.checks import CHECKS
from domain.cards import BUSINESSES, HAND_CARDS, REIBACH
from domain.clock.pace import ON_TIMEOUT
from domain.events import EVENT_TABLE, FIELDS, OPTIONAL
from domain.fairness.chain import ERASABLE
from domain.people.legality import AGREEMENTS
from domain.rules import RULES
from domain.scoring import INCOME_REASONS
from domain.words.catalogue import LANGUAGES
from domain.words.wording import words_of
from service.api.schemas.shapes import BOOLEAN, SHAPES_BY_WORD, TEXT, Shape, one_of, record, ref, shape_of
from service.gamelog.store.form.listing import STATUSES
from service.post.channel_table import CHANNELS
from service.post.notices import WORDS_OF_TYPES
from service.post.subscriptions import FORMATS, WORDS

_VARIANTS: Final = {
    name: BOOLEAN | {"description": words_of("en").variants_texts[name]}
    for rules in RULES.values()
    for name in rules.variants
}
_LOSS: Final = {"type": "integer", "maximum": 0}
SHAPES_BY_WORD.update(
    {
        # A game names all variants of its rule set, and no others.
        "variants": {
            "type": "object",
            "properties": _VARIANTS,
            "required": [name for name in _VARIANTS if all(name in rules.variants for rules in RULES.values())],
        },
        "penalties": record({"empty_businessmakers": _LOSS, "hand_cards": _LOSS}),
        "business-scores": {
            "type": "object",
            "propertyNames": ref("Business"),
            "additionalProperties": ref("BusinessScore"),
        },
        "steps": {"type": "array", "items": {"anyOf": [shape_of("Wish[]"), ref("Step")]}},
        "messages": {"type": "object", "additionalProperties": shape_of("text[]")},
        "error-status": {"type": "integer", "minimum": 400, "maximum": 599},
        "check-name": one_of(CHECKS),
        "channel-name": one_of(CHANNELS),
        "notice-type": one_of(WORDS_OF_TYPES),
    }
)
_TABLES: Final = tomllib.loads((files(__package__) / "answers.toml").read_text("utf-8"))
_OF_EVENTS: Final = _TABLES.pop("events")
"""What type hints and docstrings of events don't say, or say for readers of the code: `fields` and `texts`."""
_HINTS: Final[dict[Any, Shape]] = {
    int: {"type": "integer"},
    str: TEXT,
    bool: BOOLEAN,
    NoneType: {"type": "null"},
    Any: {},
}


def _shape_of_hint(hint: Any) -> Shape:
    """The JSON schema of a type as the events use them. Raises KeyError for one that no event had yet."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is list:
        return {"type": "array", "items": _shape_of_hint(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _shape_of_hint(inner[1])}
    if origin is UnionType:
        return {"anyOf": [_shape_of_hint(member) for member in inner]}
    return _HINTS[hint]


def _field(event: str, field: str, hint: Any) -> Shape:
    text = _OF_EVENTS["fields"].get(f"{event}.{field}") or _OF_EVENTS["fields"].get(field)
    return shape_of(text) if text else _shape_of_hint(hint)


def _event(name: str, kind: type) -> Shape:
    hints = get_type_hints(kind)
    data = {field: _field(name, field, hints[field]) for field in FIELDS[name]}
    given = {member: _field(name, member, str) for member in OPTIONAL.get(name, {})}
    if name in ERASABLE:
        data[ERASABLE[name]] = {"anyOf": [data[ERASABLE[name]], {"type": "null"}]}
        given |= {"erased": BOOLEAN, "digest": shape_of("hex")}
    whole = record(data | given) | {"required": list(data)}
    shape = record({"version": "number", "type": f"={name}", "at": "time", "data": whole, "hash": "hex"})
    return shape | {"description": _OF_EVENTS["texts"].get(name, (kind.__doc__ or "").strip())}


def _words(words: Any, description: str) -> Shape:
    return one_of(words) | {"description": description}


_EVENTS: Final = {name: _event(name, entry.kind) for name, entry in EVENT_TABLE.items()}
SHAPES: Final[dict[str, Shape]] = {
    "Card": _words(HAND_CARDS, "A card that a hand can hold: of one of the ten businesses, or a special."),
    "Business": _words(BUSINESSES, "One of the ten businesses."),
    "ReasonCode": _words(CODES, "In what way the best turn is better; `close`: by no more than `spread`."),
    "IncomeReason": _words(INCOME_REASONS, "The place of a row among the rows of its business."),
    "PileCard": _words((*HAND_CARDS, REIBACH), "A card of the draw pile, which has the ten Reibach cards, too."),
    "EventType": _words(EVENT_TABLE, "The types of events."),
    "Agreement": _words(AGREEMENTS, "What all people who play may agree on."),
    "OnTimeout": _words(ON_TIMEOUT, "What happens to a turn that has timed out."),
    "ListStatus": _words(STATUSES, "The status of a game in the list of games."),
    "Language": _words(LANGUAGES, "The languages of recaps and score sheets."),
    "WebhookFormat": _words(FORMATS, "The form of a webhook's body."),
    "NotificationWord": _words(WORDS, "A type of notices that a player can subscribe to."),
    **{name: {"description": members.pop("description")} | record(members) for name, members in _TABLES.items()},
    "Event": {
        "anyOf": [ref(name) for name in (*_EVENTS, "OtherEvent")],
        "description": "Later releases may add types: skip those you don't know, and count their versions.",
    },
    "Document": {"type": "object", "description": "This document."},
    **_EVENTS,
}
