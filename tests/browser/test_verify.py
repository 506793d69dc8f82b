"""The verifier of the page "Check it yourself", in the browser: honest logs hold, and what was changed is named."""

import base64
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from domain.audit.checks import audit
from domain.audit.evidence import evidence_of, fold
from domain.events import OF_PEOPLE
from domain.fairness.canonical import canonical_json
from domain.fairness.chain import receipt_text
from domain.view import redact_event
from tests.browser.verifying import BYTES, Log, Verifier, edited, serve_modules
from tests.browser.windows import Browser, script
from tests.domain.audit.erasures import FORGED, LAST, SHORTENED, TRUE, mutated
from tests.domain.audit.forgery_kinds import (
    INVENTED,
    Source,
    cards,
    copy_of_nobodys,
    entropies,
    piles,
    renamed_cards,
    scores,
    seeds,
    with_invented,
)
from tests.games.kept import PAYLOADS
from tests.games.recorded import COVER, GAMES, Replayed, entries_of, read, steps_of
from tests.oracle.play import play, rechain
from tests.support.actions import play_every_action
from tests.support.forks import copy_of
from tests.support.logs import log_of, ndjson

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "oracle" / "vectors.json").read_text("utf-8"))
KEPT = sorted(PAYLOADS.glob("*.events.jsonl"))
SHORT = "0.2.0-agreements.events.jsonl"
FORK = "0.2.0-forks.events.jsonl"
LONG = "0.2.0-messages.events.jsonl"
HELD = dict.fromkeys(("form", "commitment", "shuffle", "chain", "cards", "play", "scores"), "ok")
some = pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["part", "rest"])


@pytest.fixture(scope="module")
def verifier(browser: Browser) -> Iterator[Verifier]:
    page = browser.new_page()
    serve_modules(page)
    yield Verifier(page)
    page.close()


def kept(name: str) -> Log:
    return [json.loads(line) for line in (PAYLOADS / name).read_bytes().splitlines()]


def redacted(log: Log, version: int, viewer: int | None = None) -> Log:
    part = log[:version]
    head = fold(evidence_of(part), version)
    return [redact_event(event, viewer, head) for event in part]


def test_the_worked_examples_agree(verifier: Verifier) -> None:
    """Commitment, key, integers and cards of each shuffle; key, hashes and canonical JSON of the chain."""
    shuffles = [{name: value for name, value in one.items() if name != "about"} for one in VECTORS["shuffle"]]
    found = verifier.page.evaluate(script("deal_examples"), shuffles)
    assert found == shuffles
    for example in VECTORS["chain"]:
        erased = {event["version"]: event for event in example.get("erased", [])}
        shortened = [erased.get(event["version"], event) for event in example["events"]]
        for events in (example["events"], shortened):
            key, hashes, parts = verifier.page.evaluate(script("chain_example"), example | {"events": events})
            assert key == example["chain_key"]
            assert hashes == [event["hash"] for event in example["events"]]
            texts = {name: text for name, text in example.items() if name.startswith("jcs_of_version_")}
            assert texts.items() <= {f"jcs_of_version_{version}": part for version, part in enumerate(parts, 1)}.items()


@some
def test_recorded_games_hold(verifier: Verifier, nightly: bool) -> None:
    """Those that show every clause of the rules, and the kept ones; nightly all others."""
    cover = COVER.read_text("utf-8").split()
    chosen = [
        game for path in sorted(GAMES.glob("*.jsonl")) for game in read(path) if (game.game in cover) is not nightly
    ]
    logs = [list(Replayed(game, [], *entries_of(steps_of(game))).events) for game in chosen]
    logs += [] if nightly else [kept(path.name) for path in KEPT if path.name != "0.2.0-erased.events.jsonl"]
    assert len(logs) > 20
    for log, found in zip(logs, verifier.verify_all(map(ndjson, logs)), strict=True):
        others = {"receipt": "ok", "fork": "ok"}  # where they were checked
        assert found.states | others == HELD | others, (log[0]["data"]["game"], found.failed)
        assert found.states.get("fork", "not checkable") == "not checkable"


def test_every_kind_of_action_holds(verifier: Verifier) -> None:
    """In a whole game, and as two seats and a spectator see it shortly before its end."""
    decisions = [decision for _, decision in play_every_action()]
    log, version = log_of(decisions), len(log_of(decisions[:-5]))
    logs = [log, *(redacted(log, version, viewer) for viewer in (None, 0, 1))]
    for part, found in zip(logs, verifier.verify_all(map(ndjson, logs)), strict=True):
        assert not found.failed, (len(part), found.failed)


@some
def test_a_changed_value_is_found_where_it_stands(verifier: Verifier, nightly: bool) -> None:
    """One value of one event, at any depth: 60 of them, nightly 1,500."""
    seed = f"edits {nightly}"
    print(f"seed: {seed!r}")
    chance = Random(seed)
    logs = [kept(name) for name in ([SHORT, FORK, LONG] if nightly else [SHORT, SHORT, FORK])]
    edits = [edited(logs[number % len(logs)], chance) for number in range(1500 if nightly else 60)]
    everything = verifier.verify_all(ndjson(log) for log, _ in edits)
    for (log, version), found in zip(edits, everything, strict=True):
        assert found.first == version, (log[version - 1], found.failed)


def test_changed_bytes_are_found_where_they_stand(verifier: Verifier) -> None:
    """Also where they mean the same; and what is no log at all."""
    lines = (PAYLOADS / SHORT).read_bytes().splitlines(keepends=True)
    files = [b"".join(change(lines[:])) for change in BYTES.values()]
    for name, found in zip(BYTES, verifier.verify_all(files), strict=True):
        assert found.first == 7, (name, found.failed)
        if name in {"empty line", "cut"}:  # what comes after can't be read
            assert "ok" not in {found.states[step] for step in ("cards", "play", "scores")}, name
    nothing = [b"", b"\xef\xbb\xbf" + b"".join(lines), b"[]", b"[" * 100_000, b"{}\n", b'{"events":[]}', b"null\n"]
    for file, found in zip(nothing, verifier.verify_all(nothing), strict=True):
        assert found.first == 1, file[:20]
        assert {step["code"] for step in found.steps[1:-1]} == {"not_begun"}, file[:20]
        assert "ok" not in found.states.values(), file[:20]


def test_a_page_of_events_is_a_log_too(verifier: Verifier) -> None:
    """As the API gives it as JSON: without bytes to compare; one that begins later is none."""
    log = kept(SHORT)
    found = verifier.verify(json.dumps({"events": log, "next": None}).encode())
    assert found.states == HELD | {"receipt": "not checkable"}
    assert found.steps[0]["code"] == "page"
    assert verifier.verify(json.dumps({"events": log[5:], "next": None}).encode()).first == 1


@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        (cards, {"cards", "play"}),
        (piles, {"shuffle", "cards"}),
        (renamed_cards, {"shuffle"}),
        (scores, {"scores"}),
        (seeds, {"commitment", "shuffle"}),
        (entropies, {"shuffle", "play"}),
    ],
)
def test_forgeries_with_new_hashes_fail_elsewhere(
    verifier: Verifier, kind: Callable[[Source, Log, Random], Log], steps: set[str]
) -> None:
    """A forger who knows the seed can compute the chain again, but not the cards, nor what the rows earn."""
    log, chance = kept("0.1.0.events.jsonl"), Random(kind.__name__)
    forged = [kind(Source(log, []), log, chance) for _ in range(4)]
    forged = [one for one in forged if one != log and isinstance(one[0]["data"]["server_seed"], str)]
    assert forged
    for one, found in zip(forged, verifier.verify_all(ndjson(rechain(one)) for one in forged), strict=True):
        assert found.states["chain"] == "ok"
        assert found.failed.keys() & steps, (one, found.states)


@pytest.mark.nightly
def test_what_cannot_have_happened_to_people_is_found(verifier: Verifier) -> None:
    """In a copy, as the audit has it; what can have happened passes, as in the game itself."""
    log = kept("0.1.0.events.jsonl")
    waits = [one["version"] for one, after in pairwise(log) if one["type"] == "TurnStarted" and after["at"] > one["at"]]
    forged = [with_invented(log, waits[9], kind, data) for kind, data in INVENTED]
    everything = verifier.verify_all(ndjson(numbered(one)) for one in forged)
    for (kind, data), found in zip(INVENTED, everything, strict=True):
        assert found.failed.keys() == {"play"}, (kind, data, found.states)
        assert found.first == waits[9] + 1, (kind, data)
    played = [
        play(number, 2 + number % 4, {"expensive_specials": False, "staggered_start": False}, stops=True)
        for number in range(10)
    ]
    honest = [*played, *map(copy_of_nobodys, played)]
    assert {event["type"] for log in played for event in log} >= OF_PEOPLE - {"SeatReplaced"}
    for found in verifier.verify_all(ndjson(numbered(one)) for one in honest):
        assert found.states["play"] == "ok", found.failed


def numbered(log: Log) -> Log:
    return rechain(event | {"version": version} for version, event in enumerate(log, 1))


@pytest.mark.parametrize("kind", ["CardTaken", "CardDrawn", "DisplayRefilled", "BusinessmakerLaid", "CardAppended"])
def test_a_card_from_elsewhere_is_found(verifier: Verifier, kind: str) -> None:
    """One that did not lie there, was not on top, or is in another hand, with the whole chain computed again."""
    log = kept("0.1.0.events.jsonl")
    versions = [event["version"] for event in log if event["type"] == kind]
    forged = []
    for version in (versions[0], versions[-1]):
        event = log[version - 1]
        before = fold(evidence_of(log[: version - 1]), version - 1)
        lawful = {event["data"]["card"], *before.seats[event["data"].get("seat", 0)].hand}
        other = next(card for card in ("art", "oil", "gold", "shares", "luxury", "risk") if card not in lawful)
        forged.append(rechain([*log[: version - 1], event | {"data": event["data"] | {"card": other}}, *log[version:]]))
    for version, found in zip((versions[0], versions[-1]), verifier.verify_all(map(ndjson, forged)), strict=True):
        assert found.failed.keys() == {"cards"}
        assert found.first == version


def test_running_games_are_checked_as_far_as_they_show(verifier: Verifier) -> None:
    """For all who watch and for a seat; what can't be checked says so, and what is open must still fit."""
    log = kept("0.1.0.events.jsonl")
    ends = [one["version"] for one, after in pairwise(log) if after["at"] > one["at"]]
    for version in Random("running").sample(ends, 6):
        for viewer in (None, 1):
            found = verifier.verify(redacted(log, version, viewer))
            hidden = dict.fromkeys(("commitment", "shuffle", "chain", "receipt"), "not checkable")
            assert found.states == HELD | hidden, (version, found.failed)
    part = redacted(log, ends[-30])
    changes: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "CardTaken": lambda data: {"card": "gold" if data["card"] != "gold" else "oil"},
        "DisplayRefilled": lambda data: {"slot": (data["slot"] + 1) % 3},
        "TurnStarted": lambda data: {"seat": (data["seat"] + 1) % 3},
        "CardAppended": lambda data: {"row": data["row"] + 1},
        "RoundScored": lambda data: {"totals": [total + 1 for total in data["totals"]]},
    }
    for kind, change in changes.items():
        version = [event["version"] for event in part if event["type"] == kind][-1]
        event = part[version - 1]
        event = event | {"data": event["data"] | change(event["data"])}
        found = verifier.verify([*part[: version - 1], event, *part[version:]])
        assert found.first == version, (kind, found.states)


def test_forks_prove_what_their_own_log_can(verifier: Verifier) -> None:
    """The hidden cards of a position, a copy's seed; what the parent alone proves stays open."""
    fork = kept(FORK)
    found = verifier.verify(fork)
    assert found.states == HELD | {"fork": "not checkable", "receipt": "not checkable"}
    assert {step["code"] for step in found.steps} >= {"position_of_parent"}
    moved = json.loads(canonical_json(fork))
    position = next(event for event in moved if event["type"] == "PositionSet")
    position["data"]["draw_pile"].reverse()
    assert verifier.verify(rechain(moved)).failed["shuffle"]["version"] == position["version"]
    copy = copy_of(kept(LONG), 100)
    codes = {step["name"]: step["code"] for step in verifier.verify(copy).steps}
    assert codes.items() >= {"commitment": "seed_of_parent", "fork": "copy_of_parent"}.items()
    for change in ({"parent": copy[0]["data"]["game"]}, {"from": len(copy)}, {"from": 0}, {"parent": None}):
        wrong = rechain([copy[0] | {"data": copy[0]["data"] | change}, *copy[1:]])
        assert verifier.verify(wrong).failed["fork"]["version"] == 1, change


def test_receipts(verifier: Verifier) -> None:
    """A good one proves the log up to its version; one flipped bit, another key or another log is refused."""
    log = kept(SHORT)
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    keys = [{"key": "k1", "algorithm": "Ed25519", "public_key": base64.b64encode(public).decode()}]

    def sign(version: int) -> dict[str, Any]:
        signature = private.sign(receipt_text(log[0]["data"]["game"], version, log[version - 1]["hash"]))
        receipt = {"version": version, "hash": log[version - 1]["hash"], "key": "k1"}
        return receipt | {"signature": base64.b64encode(signature).decode()}

    good = sign(len(log))
    found = verifier.verify(log, [sign(9), good], keys)
    assert [step["state"] for step in found.steps][-4:] == ["ok"] * 4
    assert [step["code"] for step in found.steps][-4::2] == ["proved_up_to", "proved_all"]
    signature = base64.b64decode(good["signature"])
    flipped = bytes([*signature[:40], signature[40] ^ 1, *signature[41:]])
    refused = {
        "signature": good | {"signature": base64.b64encode(flipped).decode()},
        "no base64": good | {"signature": good["signature"][:-1]},
        "unsigned": {"version": good["version"], "hash": good["hash"]},
        "key": good | {"key": "k2"},
        "version": good | {"version": 9},
        "hash": good | {"hash": "0" + good["hash"][1:] if good["hash"][0] != "0" else "1" + good["hash"][1:]},
        "cut": sign(len(log)) | {"version": len(log) + 1},
    }
    for name, receipt in refused.items():
        failed = verifier.verify(log, [receipt], keys).failed
        assert "signature" in failed, name
        assert ("receipt" in failed) is (name in {"version", "hash", "cut"}), name
    other = json.loads(canonical_json(log))
    other[5]["at"] = other[6]["at"]
    failed = verifier.verify(rechain(other), [good], keys).failed
    assert failed["receipt"]["code"] == "receipt"
    assert "signature" not in failed
    assert verifier.verify(log, [good], None).states["signature"] == "not checkable"
    running = verifier.verify(redacted(log, 9), [sign(9)], keys).states
    assert (running["receipt"], running["signature"]) == ("not checkable", "ok")


def test_a_browser_without_ed25519_says_so(verifier: Verifier) -> None:
    """Nothing is taken for good, or for bad, that it can't check."""
    verifier.page.evaluate(script("lack_ed25519"))
    log = kept(SHORT)
    receipt = {"version": 9, "hash": log[8]["hash"], "key": "k1", "signature": "AAAA"}
    keys = [{"key": "k1", "algorithm": "Ed25519", "public_key": base64.b64encode(bytes(32)).decode()}]
    found = verifier.verify(log, [receipt], keys)
    verifier.page.reload()
    assert (found.steps[-1]["state"], found.steps[-1]["code"]) == ("not checkable", "no_ed25519")


@pytest.mark.nightly
def test_erased_words_are_told_and_forged_ones_found(verifier: Verifier) -> None:
    """As by the audit, with the receipt of the true end; a game from before salts says that its proof ends."""
    receipt = {"version": LAST, "hash": TRUE[-1]["hash"]}
    found = verifier.verify(SHORTENED, [receipt])
    assert not found.failed.keys() - {"signature"}
    assert {step["name"]: step["erased"] for step in found.steps if step["erased"]} == {"chain": 3}
    everything = verifier.verify_all((ndjson(log) for _, log in FORGED.values()), [receipt])
    for (name, (version, log)), found in zip(FORGED.items(), everything, strict=True):
        offence = audit(log).first_offence
        assert found.failed["chain"]["version"] == version, name
        assert offence is not None
        assert found.first == offence.version, name
        code = found.failed["chain"]["code"]
        assert (code == "unproved") is (name == "erased without digest"), name
        assert "receipt" in found.failed, name
    assert verifier.verify(kept("0.2.0-erased.events.jsonl")).failed["chain"]["code"] == "unproved"


@some
@pytest.mark.nightly
def test_both_verifiers_agree_on_erasures(verifier: Verifier, nightly: bool) -> None:
    """The chain of 30 mutated logs with erased words breaks at the same version, or at none; nightly of 1,000."""
    chance = Random(f"erasures {nightly}")
    logs = [mutated(chance) for _ in range(1000 if nightly else 30)]
    for log, found in zip(logs, verifier.verify_all(map(ndjson, logs)), strict=True):
        chain = audit(log).checks[0]
        broken = [step["version"] for name, step in found.failed.items() if name in {"form", "chain"}]
        assert min(broken, default=None) == (None if chain.ok else chain.version), chain.detail
