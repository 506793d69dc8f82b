"""What bodies of requests about notifications may hold."""

from typing import Any

from marshmallow import Schema, fields, validates_schema

from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from service.api.schemas import validators as validate
from service.api.schemas.fields import ShortList, TrueOrFalse
from service.api.schemas.pace import QuietSchema, check_zone
from service.api.schemas.validators import wrong
from service.post.channels.address import MAX_URL
from service.post.mail.address import LONGEST_ADDRESS
from service.post.subscriptions import FORMATS, WORDS


def _email(**options: Any) -> fields.String:
    return fields.String(validate=validate.Length(1, LONGEST_ADDRESS), **options)


class LostTokenSchema(Schema):
    """The body of `POST /v1/games/{id}/lost-token`."""

    email = _email(required=True)


class WebhookSchema(Schema):
    """Where webhooks go, and in which form."""

    url = fields.String(required=True, validate=validate.Length(1, MAX_URL))
    format = fields.String(load_default=FORMATS[0], validate=validate.OneOf(FORMATS))


class NotificationsSchema(Schema):
    """The body of `PUT /v1/games/{id}/notifications`: an address, a webhook, or both."""

    email = _email(load_default=None, allow_none=True)
    webhook = fields.Nested(WebhookSchema, load_default=None, allow_none=True)
    on = ShortList(
        fields.String(validate=validate.OneOf(WORDS)), least=0, most=len(WORDS), load_default=lambda: list(WORDS)
    )
    language = fields.String(load_default=DEFAULT_LANGUAGE, validate=validate.OneOf(tuple(LANGUAGES)))
    zone = fields.String(load_default=None, allow_none=True, validate=check_zone)
    quiet = fields.Nested(QuietSchema, load_default=None, allow_none=True)
    while_watching = TrueOrFalse(load_default=True)
    receipts = TrueOrFalse(load_default=True)

    @validates_schema
    def _check_channels(self, data: dict[str, Any], **_: Any) -> None:
        if data["email"] is None and data["webhook"] is None:
            raise wrong("notifications.none")
