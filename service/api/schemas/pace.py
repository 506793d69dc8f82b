"""The pace of a new game, as a request gives it."""

from typing import Any

from marshmallow import Schema, fields, post_load, validates_schema

from domain.clock.hours import LEAST_MINUTES, Hours, is_zone
from domain.clock.pace import BANK_SECONDS, ON_TIMEOUT, TIMEOUTS, TURN_SECONDS, Pace
from service.api.schemas import validators as validate
from service.api.schemas.fields import WholeNumber
from service.api.schemas.validators import wrong


def check_zone(name: str) -> None:
    if not is_zone(name):
        raise wrong("pace.zone")


def _time(name: str) -> fields.String:
    pattern = validate.Regexp("^([01][0-9]|2[0-3]):[0-5][0-9]$", "pace.time")
    return fields.String(required=True, data_key=name, validate=pattern)


class QuietSchema(Schema):
    """Hours of a day; over midnight where they end before they begin."""

    opens = _time("from")
    closes = _time("to")

    @post_load
    def _hours(self, data: dict[str, str], **_: Any) -> Hours:
        hours = Hours.from_json({"from": data["opens"], "to": data["closes"], "zone": data.get("zone", "UTC")})
        if hours.minutes < LEAST_MINUTES:
            raise wrong("pace.to", "to")
        return hours


class HoursSchema(QuietSchema):
    """Hours of a day by the clocks of a time zone; over midnight where they end before they begin."""

    zone = fields.String(required=True, validate=check_zone, metadata={"example": "Europe/Berlin"})


class PaceSchema(Schema):
    """How long a turn may take, and what happens then."""

    turn_seconds = WholeNumber(required=True, validate=validate.Range(*TURN_SECONDS))
    reminder_seconds = WholeNumber(validate=validate.Range(1, TURN_SECONDS[1] - 1))
    on_timeout = fields.String(load_default=ON_TIMEOUT[0], validate=validate.OneOf(ON_TIMEOUT))
    bank_seconds = WholeNumber(validate=validate.Range(*BANK_SECONDS))
    bank_refill_seconds = WholeNumber(validate=validate.Range(*BANK_SECONDS))
    hours = fields.Nested(HoursSchema)
    timeouts = WholeNumber(validate=validate.Range(*TIMEOUTS))

    @validates_schema
    def _check_parts(self, data: dict[str, Any], **_: Any) -> None:
        if "bank_refill_seconds" in data and "bank_seconds" not in data:
            raise wrong("pace.refill", "bank_refill_seconds")
        if "timeouts" in data and data["on_timeout"] != ON_TIMEOUT[0]:
            raise wrong("pace.timeouts", "timeouts")

    @validates_schema
    def _check_reminder(self, data: dict[str, Any], **_: Any) -> None:
        if data.get("reminder_seconds", 0) >= data["turn_seconds"]:
            raise wrong("range", "reminder_seconds", low=1, high=data["turn_seconds"] - 1)

    @post_load
    def _pace(self, data: dict[str, Any], **_: Any) -> Pace:
        return Pace(**data)
