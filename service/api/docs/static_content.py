"""Content that stays the same while the process runs: compressed once, revalidated by its digest."""

import gzip
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from flask import Response

from service.api.content.caching import client_has
from service.api.content.compression import accepts_gzip

REVALIDATE: Final = "no-cache"
"""`Cache-Control` of an address whose content a release may change."""
FOR_EVER: Final = "public, max-age=31536000, immutable"
"""`Cache-Control` of an address that names its content's digest."""


@dataclass(frozen=True, slots=True)
class StaticContent:
    """Bytes, the same compressed, and their digest."""

    plain: bytes
    gzipped: bytes
    digest: str

    @classmethod
    def of(cls, content: bytes) -> Self:
        return cls(content, gzip.compress(content, mtime=0), sha256(content).hexdigest()[:16])

    def respond(self, media_type: str, cache_control: str = REVALIDATE) -> Response:
        """The answer with the content, compressed if the client takes that; 304 where the client has it."""
        headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding"}
        answer = Response(headers=headers, content_type=media_type)
        answer.set_etag(self.digest, weak=True)
        if client_has(self.digest):
            answer.status_code = 304
        elif accepts_gzip():
            answer.headers["Content-Encoding"] = "gzip"
            answer.set_data(self.gzipped)
        else:
            answer.set_data(self.plain)
        return answer
