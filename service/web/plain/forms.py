"""The bodies of forms, as browsers send them."""

from typing import Final
from urllib.parse import parse_qsl

from flask import request

from service.api.limits.places import Places
from service.api.protocol.body import read_whole_body

_TYPE: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 20


class BadForm(ValueError):
    """The body is no form, or not one of ours."""


def read_form(places: Places) -> dict[str, str]:
    """The fields of the request's body, the last of equal names. Raises BadForm, and Problem for a body too large."""
    if request.mimetype != _TYPE or "Content-Encoding" in request.headers:
        raise BadForm
    body = read_whole_body(places)
    try:
        return dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
        )
    except ValueError:  # not ASCII, not UTF-8, or too many fields
        raise BadForm from None
