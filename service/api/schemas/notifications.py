"""What bodies of requests about notifications may hold."""

import re
from typing import Any, Final

from marshmallow import Schema, fields, validates_schema

from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from service.api.schemas import validators as validate
from service.api.schemas.fields import ShortList, TrueOrFalse
from service.api.schemas.pace import QuietSchema, check_zone
from service.api.schemas.validators import wrong
from service.post.channels.address import MAX_URL
from service.post.channels.chat import CHAT_FORMS
from service.post.mail.address import LONGEST_ADDRESS
from service.post.subscriptions import FORMATS, WORDS

_MENTIONS: Final = {name: form.mention for name, form in CHAT_FORMS.items() if form.mention}
_LONGEST_KEY: Final = 100


def _email(**options: Any) -> fields.String:
    return fields.String(validate=validate.Length(1, LONGEST_ADDRESS), **options)


class AddressSchema(Schema):
    """A mail address: that of a seat whose token is lost, or another one for an invitation."""

    email = _email(required=True)


class WebhookSchema(Schema):
    """Where webhooks go, and in which form."""

    url = fields.String(required=True, validate=validate.Length(1, MAX_URL))
    format = fields.String(load_default=FORMATS[0], validate=validate.OneOf(FORMATS))
    mention = fields.String(
        load_default=None, allow_none=True, metadata={"pattern": f"^({'|'.join(_MENTIONS.values())})$"}
    )

    @validates_schema
    def _check_mention(self, data: dict[str, Any], **_: Any) -> None:
        if data["mention"] is not None and not re.fullmatch(_MENTIONS.get(data["format"], "(?!)"), data["mention"]):
            raise wrong("webhook.mention", "mention")


class NotificationsSchema(Schema):
    """The body of `PUT /v1/games/{id}/notifications`: an address, a webhook, both, or what devices get."""

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


class DeviceKeysSchema(Schema):
    """The keys for which a device can read what is encrypted."""

    p256dh = fields.String(required=True, validate=validate.Length(1, _LONGEST_KEY))
    auth = fields.String(required=True, validate=validate.Length(1, _LONGEST_KEY))

    @validates_schema
    def _check_keys(self, data: dict[str, Any], **_: Any) -> None:
        from service.post.channels.push import check_keys  # ciphers, for those who register a device

        try:
            check_keys(**data)
        except ValueError:
            raise wrong("device.keys") from None


class FormerDeviceSchema(Schema):
    """The body of `DELETE /v1/games/{id}/notifications/push`."""

    endpoint = fields.String(required=True, validate=validate.Length(1, MAX_URL))


class DeviceSchema(FormerDeviceSchema):
    """The body of `POST /v1/games/{id}/notifications/push`: as browsers give a subscription to push."""

    keys = fields.Nested(DeviceKeysSchema, required=True)
    language = fields.String(load_default=DEFAULT_LANGUAGE, validate=validate.OneOf(tuple(LANGUAGES)))
