"""Compressed answers: gzip, where an answer is large and its length can't give a secret away.

The length of a compressed answer shows whether text that one player chose (a name, a message) repeats what another
player must not know (a hand): BREACH. So an answer that holds a seat's secrets is never compressed.
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from flask import Response

from service.api.limits.bounds import LONGEST_ACCEPT
from service.api.wsgi import current_request

_LEAST_BYTES: Final = 1000
"""A shorter answer fits into one packet as it is."""
_LEVEL: Final = 3
"""Of an answer made for one request. Level 6 takes four times the processor time for a third fewer bytes."""
_GZIP: Final = zlib.MAX_WBITS | 16


def compress(answer: Response) -> Response:
    """The answer, compressed if it is long enough and the client takes gzip. It must hold no secret."""
    answer.headers.add("Vary", "Accept-Encoding")
    if answer.status_code != 200 or not accepts_gzip():
        return answer
    if answer.is_streamed:
        answer.response = _compress_chunks(answer.iter_encoded())
    else:
        content = answer.get_data()
        if len(content) < _LEAST_BYTES:
            return answer
        answer.set_data(zlib.compress(content, _LEVEL, _GZIP))
    answer.headers["Content-Encoding"] = "gzip"
    return answer


def accepts_gzip() -> bool:
    """Whether the client takes gzip; not by a header that is too long to be parsed."""
    if len(current_request().headers.get("Accept-Encoding", "")) > LONGEST_ACCEPT:
        return False
    return current_request().accept_encodings["gzip"] > 0


def _compress_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(_LEVEL, wbits=_GZIP)
    for chunk in chunks:
        if compressed := compressor.compress(chunk):
            yield compressed
    yield compressor.flush()
