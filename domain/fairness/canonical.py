"""JSON as this project reads it (strictly) and writes it (JCS, RFC 8785), and HMAC-SHA256: the basis of all hashes."""

import hmac
import json
import re
from typing import Any, Final, NoReturn, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
LARGEST: Final = 2**53 - 1
"""No whole number in a log is larger (JCS)."""
NOT_JSON: Final = (TypeError, ValueError, RecursionError)
"""What `canonical_json` raises for a value that it can't write: a lone surrogate, for example."""

_CANONICAL: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_LAST_OF_BMP: Final = "\uffff"


class RepeatedMember(ValueError):
    """An object has a member name twice."""


class NotANumber(ValueError):
    """NaN, Infinity or -Infinity, which is the message: Python reads them, JSON has none."""


def canonical_json(value: Any) -> bytes:
    """JCS (RFC 8785) of a value for which `has_canonical_form` holds. Raises one of NOT_JSON."""
    return _CANONICAL.encode(value).encode()


def has_canonical_form(value: Any) -> bool:
    """Whether `canonical_json` writes the value's JCS.

    It has no fractions, as floats are written in another form there; no whole number beyond `LARGEST`, either side of
    zero; and no member name beyond the BMP, as JCS sorts names by UTF-16 units and Python by code points.
    """
    pending = [value]
    for part in pending:  # which grows meanwhile
        if type(part) is str:
            continue
        if isinstance(part, int):
            if not -LARGEST <= part <= LARGEST:
                return False
        elif isinstance(part, dict):
            for name in part:
                if not (isinstance(name, str) and (name.isascii() or max(name) <= _LAST_OF_BMP)):
                    return False
            pending += part.values()
        elif isinstance(part, list | tuple):
            pending += part
        elif isinstance(part, float):
            return False
    return True


def read_json(text: bytes) -> Any:
    """The value of JSON text in UTF-8, without byte order mark, NaN, doubled member names and lone surrogates.

    Raises ValueError (RepeatedMember, NotANumber, JSONDecodeError and UnicodeError among them) and RecursionError.
    """
    value = _DECODER.decode(text.decode())
    if _SURROGATE.search(text):
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate can't be encoded
    return value


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _unique_members(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise RepeatedMember("duplicate member name")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise NotANumber(name)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique_members, parse_constant=_refuse_constant)
