"""Validators of answers, so that a client fetches again only what has changed.

A tag is weak: the same content may be sent compressed or not. It never matches an `If-Match`, which means a view's.
"""

from flask import Response

from service.api.limits.bounds import read_header
from service.api.wsgi import current_request


def client_has(tag: int | str) -> bool:
    """Whether the client has the version, or the content with the tag, already, as `If-None-Match` says.

    Raises Problem `bad-request`.
    """
    if read_header("If-None-Match") is None:
        return False
    tags = current_request().if_none_match
    return tags.star_tag or tags.contains_weak(str(tag))


def revalidate(answer: Response) -> Response:
    """The answer with a tag of its content, unless it has one; without content (304) where the client has it.

    The content follows viewer, language, media type and release, and so does the tag: a full page of past events
    keeps its tag while the game runs, until the end of the game reveals what it hides.
    """
    answer.add_etag(weak=True)
    if client_has(answer.get_etag()[0] or ""):
        answer.set_data(b"")
        answer.status_code = 304
    return answer
