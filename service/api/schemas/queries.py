"""What queries of requests may hold. The OpenAPI document is generated from the same schemas."""

from typing import Any, Final

from marshmallow import Schema, fields, validates_schema

from domain.projections.recap import BY_ACTION, BY_TURN
from domain.words.catalogue import LANGUAGES
from service.api.schemas import validators as validate
from service.api.schemas.fields import Digits
from service.gamelog.store.form.listing import STATUSES
from service.gamelog.store.listings import CURSOR_PATTERN

MOST_IDS: Final = 100


class GamesQuery(Schema):
    """The query of `GET /v1/games`."""

    listed = fields.String(validate=validate.OneOf(("true",)))
    ids = fields.String()
    status = fields.String(validate=validate.OneOf(STATUSES))
    after = fields.String(validate=validate.Regexp(CURSOR_PATTERN, "cursor"))
    limit = Digits(load_default=20, validate=validate.Range(1, 100))

    @validates_schema
    def _check_choice(self, data: dict[str, Any], **_: Any) -> None:
        if not data.keys() & {"listed", "ids"}:
            raise validate.wrong("required", "listed")
        if data.get("ids", "").count(",") >= MOST_IDS:
            raise validate.wrong("entries.high", "ids", high=MOST_IDS)


def _check_version(version: int) -> None:
    """0 passes, and is refused like every version that the game doesn't have."""
    if version < 0:
        raise validate.wrong("range.low", low=1)


class AtQuery(Schema):
    """The query of a resource at a version."""

    at = Digits(validate=_check_version, metadata={"minimum": 0})


class ViewQuery(AtQuery):
    """The query of `GET /v1/games/{id}`."""

    wait = fields.Float(validate=validate.Range(0, 30))


class EventsQuery(Schema):
    """The query of `GET /v1/games/{id}/events`."""

    after = Digits(load_default=0, validate=validate.Range(0))
    limit = Digits(load_default=200, validate=validate.Range(1, 1000))


class ReplayQuery(Schema):
    """The query of `GET /v1/games/{id}/replay`."""

    after = Digits(load_default=0, validate=validate.Range(0))
    limit = Digits(validate=validate.Range(1))


class OrdersQuery(Schema):
    """The query of `PUT /v1/games/{id}/orders`."""

    preview = fields.String(validate=validate.OneOf(("true",)))


class LanguageQuery(Schema):
    """The query of a resource in several languages."""

    language = fields.String(validate=validate.OneOf(tuple(LANGUAGES)))


class RecapQuery(LanguageQuery):
    """The query of `GET /v1/games/{id}/recap`."""

    since = Digits(validate=validate.Range(0))
    by = fields.String(load_default=BY_TURN, validate=validate.OneOf((BY_TURN, BY_ACTION)))
    limit = Digits(load_default=200, validate=validate.Range(1, 1000))
