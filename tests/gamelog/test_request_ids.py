"""The random bytes of an entry by which a resend is recognised."""

import os

from service.gamelog.store.form.entry import CHECKED, REQUEST_ID, entry_check


def request_id() -> bytes:
    return entry_check(bytes(32))[CHECKED:]


def ids_of_child(count: int) -> bytes:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, b"".join(request_id() for _ in range(count)))
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as file:
        return file.read()


def test_forked_processes_have_ids_of_their_own() -> None:
    """Web processes are forked: with the parent's state, all of them would make the same ids one after the other."""
    first, second = ids_of_child(20), ids_of_child(20)
    assert len(first) == len(second) == 20 * REQUEST_ID
    assert first != second
    assert first != b"".join(request_id() for _ in range(20))
