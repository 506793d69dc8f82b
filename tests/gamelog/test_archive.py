"""A finished game as one compressed value: no entry is lost, and damage is detected."""

from hashlib import sha256
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.gamelog.store.errors import CorruptLog
from service.gamelog.store.form import archive
from service.gamelog.store.form.archive import ArchivePlace, hash_mark, pack, unpack
from service.gamelog.store.form.codec import encode_rows, row_of_event
from service.gamelog.store.form.entry import CHECKED, Entry
from tests.support.play import steps

HASH = sha256(b"the last event").digest()
MOST_BYTES = 2048
"""Bytes of an average game's archive at most, as required."""
KEPT = (
    "01687e5c85cc23b5238e68e9737f3f59942473ba8ae33b6234bfb36391b691c985e5eb9dd1636498c320c360c1b08481811500435ea3938e39"
    "fb8d65132400"
)
"""An archive as the first release writes it."""
rows = st.lists(
    st.tuples(st.sampled_from(["take", "draw", "said"]), st.integers(0, 9), st.text(max_size=8)), min_size=1, max_size=4
)


def place_of(entries: list[Entry], kind: str = "store") -> ArchivePlace:
    return ArchivePlace(entries[-1].version, kind, hash_mark(HASH))


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    """Entries as appends write them; the content of their events doesn't matter."""
    entries: list[Entry] = []
    version, elapsed = 0, 0
    for number, some in enumerate(draw(st.lists(rows, min_size=1, max_size=12))):
        version += len(some)
        gap = draw(st.integers(0, 10**9))
        elapsed = elapsed + gap if number > 1 else gap
        at = 1_770_000_000_000 + gap if not number else elapsed
        entries.append(Entry(version, len(some), at, encode_rows([list(row) for row in some]), b"123456789"))
    return entries


@given(entries=logs())
def test_an_archive_keeps_every_entry(entries: list[Entry]) -> None:
    """Versions, numbers, times and bytes; of the checks only the last one's first part."""
    again = unpack(pack(entries, HASH), place_of(entries))
    assert [one[:4] for one in again] == [one[:4] for one in entries]
    assert [one.check for one in again] == [b""] * (len(entries) - 1) + [HASH[:CHECKED]]


@given(entries=logs(), place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_is_noticed(entries: list[Entry], place: float, bit: int) -> None:
    """Wherever it is; a flipped bit of the last hash beyond the check's length is left to the audit."""
    value = bytearray(pack(entries, HASH))
    at = int(place * len(value))
    value[at] ^= 1 << bit
    if 9 <= at < 33:
        assert unpack(bytes(value), place_of(entries))[-1].check == HASH[:CHECKED]
        return
    with pytest.raises(CorruptLog):
        unpack(bytes(value), place_of(entries))


@given(entries=logs(), cut=st.floats(0, 1, exclude_max=True), more=st.binary(min_size=1, max_size=3))
def test_a_cut_or_longer_archive_is_noticed(entries: list[Entry], cut: float, more: bytes) -> None:
    """Anything but the whole value is refused as a corrupt log."""
    value = pack(entries, HASH)
    for wrong in (value[: int(cut * len(value))], value + more, more):
        with pytest.raises(CorruptLog):
            unpack(wrong, place_of(entries))


@pytest.mark.parametrize("times", [(5, 0, -1), (5, 7, 6), (5, 2**48)])
def test_a_log_whose_times_go_back_has_no_archive(times: tuple[int, ...]) -> None:
    """Nor has one with a step that is longer than six bytes can say; both are faults of the log, never a crash."""
    entries = [Entry(number, 1, time, b'["a"]', b"") for number, time in enumerate(times, 1)]
    with pytest.raises(CorruptLog):
        pack(entries, HASH)


@pytest.mark.parametrize("wrong", [{"version": 2}, {"mark": "0" * 16}])
def test_an_archive_of_another_hash_is_refused(wrong: dict[str, object]) -> None:
    entries = [Entry(1, 1, 5, b'["a"]', b"")]
    with pytest.raises(CorruptLog):
        unpack(pack(entries, HASH), place_of(entries)._replace(**wrong))


@pytest.mark.parametrize("field", [b"12", b"12:store", b"x:store:ab", b"1:store:ab:c", b"\xff:store:ab"])
def test_a_header_with_an_unknown_place_is_refused(field: bytes) -> None:
    with pytest.raises(CorruptLog):
        ArchivePlace.read(field)
    assert ArchivePlace.read(ArchivePlace(7, "files", "ab").field().encode()) == ArchivePlace(7, "files", "ab")
    assert ArchivePlace.read(None) is ArchivePlace.read(b"") is None


def entries_of(seats: int, seed: str) -> list[Entry]:
    """A whole game by random players, one action a request, at the pace of a game by post."""
    chance = Random(seed)
    entries: list[Entry] = []
    version = elapsed = 0
    for _, decision in steps(seats, seed):
        version += len(decision.events)
        elapsed += chance.randrange(1000, 12 * 3600_000)
        at = elapsed if entries else 1_770_000_000_000 + elapsed
        entries.append(
            Entry(version, len(decision.events), at, encode_rows([row_of_event(one) for one in decision.events]), b"")
        )
    return entries


def test_an_average_game_takes_two_thousand_bytes_at_most() -> None:
    """Over all numbers of seats, at the pace of a game by post, a request for each action."""
    sizes = [len(pack(entries_of(seats, f"{seats}/{number}"), HASH)) for seats in (2, 3, 4, 5) for number in range(8)]
    assert mean(sizes) <= MOST_BYTES, sorted(sizes)


def test_the_dictionary_never_changes() -> None:
    """A changed dictionary would make all archives unreadable."""
    assert sha256(archive._DICTIONARY).hexdigest() == "097322b5aea3e73e7255b8d67fcf032c99677a3c2ce26be5d867818860d046ef"


def test_old_archives_stay_readable() -> None:
    """One that the first release wrote is read as it was meant."""
    assert unpack(bytes.fromhex(KEPT), ArchivePlace(3, "store", hash_mark(HASH))) == [
        Entry(2, 2, 1_770_000_000_000, b'["created","g"],["turn",1,0]', b""),
        Entry(3, 1, 5, b'["take",0,1,"gold",1]', HASH[:CHECKED]),
    ]
