"""The oracle follows a game played over HTTP: with a fixed seed it predicts every event, hash and view."""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.oracle.answers import as_set, redacted, replay, scores_at, view_of_table
from tests.oracle.fairness import chain, commitment
from tests.oracle.play import EVENT_OF
from tests.oracle.table import Table
from tests.oracle.terms import ERASABLE, NEWEST, RULE_SETS, Action, Event, same
from tests.support.client import Api
from tests.support.client import Table as ArchivePlace

SALT = re.compile(r"[0-9a-f]{32}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def agree(answer: object, expected: object) -> None:
    """Assert that two JSON values are the same to the byte, keys' order aside."""
    assert same(answer, expected), f"answered\n{answer}\nexpected\n{expected}"


class Shadow:
    """All events of a game as the service must have them, unredacted, and the oracle's table after them."""

    def __init__(self, game: str, seed: str, body: Mapping[str, Any]) -> None:
        """`body`: what the game was created with, without the seed."""
        self.game, self.seed = game, seed
        self.events: list[Event] = []
        self.table = Table()
        self.wishes: list[tuple[str, dict[str, Any]]] = [("GameCreated", self._created(body))]
        for seat, plan in enumerate(body["seats"]):
            if plan:
                self.wishes.append(joined(seat, plan))

    def _created(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "game": self.game,
            "rules": NEWEST,
            "seats": len(body["seats"]),
            "variants": dict.fromkeys(RULE_SETS[NEWEST], False) | body.get("variants", {}),
            "starting_seat": body.get("starting_seat", 0),
            "listed": body.get("listed", False),
            "commitment": commitment(self.seed),
            "server_seed": self.seed,
            **({"name": body["name"]} if "name" in body else {}),
        }

    @property
    def version(self) -> int:
        return len(self.events)

    def follow(self, seen: Sequence[Event], viewer: int | None, actions: Sequence[Action] = ()) -> int:
        """Apply the events of an answer; returns how many of `actions` were accepted.

        What the oracle can't predict are the choices of bots, times and salts: these alone are taken over.
        """
        done = 0
        for event in seen:
            expected = self.wishes.pop(0) if self.wishes else self.table.due()
            if expected is None and done < len(actions):
                action = actions[done]
                assert event["type"] == EVENT_OF[action["type"]]
                assert all(event["data"][name] == value for name, value in action.items() if name != "type")
                done += 1
            kind, data = expected or (event["type"], event["data"])
            if kind in ERASABLE:
                data = data | {"salt": event["data"]["salt"]}
                assert SALT.fullmatch(data["salt"])
            assert event["type"] == kind, f"version {event['version']} is {event['type']}, not {kind}"
            self._add(kind, data, event["at"])
        agree(list(seen), redacted(self.events[self.version - len(seen) :], viewer, self.table))
        return done

    def _add(self, kind: str, data: dict[str, Any], at: str) -> None:
        assert TIME.fullmatch(at)
        assert not self.events or at >= self.events[-1]["at"]
        event: Event = {"version": self.version + 1, "type": kind, "at": at, "data": data, "hash": ""}
        self.table.apply(event)
        self.events.append(event)
        if not hasattr(self, "_links"):
            self._links = chain(self.seed, self.game, self.events)
        event["hash"] = next(self._links)
        self.table.hash = event["hash"]

    def view(self, viewer: int | None, at: int | None = None) -> dict[str, Any]:
        """The view at a version (None: the head) while the head is where it is."""
        then = self.table if at is None else replay(self.events, at)
        return view_of_table(then, self.table, viewer)


def joined(seat: int, plan: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The event of a seat that is taken as `plan` says."""
    bot = plan.get("bot")
    return "PlayerJoined", {"seat": seat, "name": bot or plan["name"], "bot": bot, "entropy": plan.get("entropy", "")}


class Judge:
    """Compares every resource of one game with the oracle's idea of it."""

    def __init__(self, api: Api, place: ArchivePlace, shadow: Shadow) -> None:
        """`place` has the tokens of the seats that people hold."""
        self.api, self.place, self.shadow = api, place, shadow
        keys = api.get("/v1/keys").json()["keys"]
        self._keys = {
            key["key"]: Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"])) for key in keys
        }

    @property
    def viewers(self) -> list[int | None]:
        return [None, *self.place.tokens]

    def get(self, path: str, viewer: int | None, **more: Any) -> httpx.Response:
        """A GET under the game's address; 200 and private, or the test fails."""
        token = None if viewer is None else self.place.tokens[viewer]
        answer = self.api.get(self.place.path + path, token, **more)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert {"Authorization", "Accept"} <= set(answer.headers["Vary"].split(", "))
        return answer

    def check_head(self) -> None:
        """View, entity tag, legal actions, score sheet and head receipt, for every viewer."""
        shadow = self.shadow
        for viewer in self.viewers:
            answer = self.get("", viewer)
            assert answer.headers["ETag"] == f'"{shadow.version}"'
            agree(answer.json(), shadow.view(viewer))
            agree(self.get("/scores", viewer).json(), scores_at(shadow.events))
            if viewer is not None:
                legal = self.get("/legal-actions", viewer).json()
                assert legal["version"] == shadow.version
                assert as_set(legal["actions"]) == as_set(shadow.table.legal_actions(viewer))
        self.check_receipt(self.get("/receipt", None).json(), shadow.version)

    def check_then(self, version: int, viewer: int | None) -> None:
        """`?at=` a version."""
        answer = self.get("", viewer, params={"at": version})
        assert "ETag" not in answer.headers
        agree(answer.json(), self.shadow.view(viewer, version))

    def check_receipt(self, receipt: dict[str, Any], version: int) -> None:
        assert receipt.keys() == {"version", "hash", "key", "signature"}
        assert receipt["version"] == version
        assert receipt["hash"] == self.shadow.events[version - 1]["hash"]
        text = f"reibach/receipt\n{self.shadow.game}\n{version}\n{receipt['hash']}\n"
        self._keys[receipt["key"]].verify(base64.b64decode(receipt["signature"], validate=True), text.encode())

    def check_page(self, viewer: int | None, after: int, limit: int) -> None:
        page = self.get("/events", viewer, params={"after": after, "limit": limit}).json()
        end = after + limit
        seen = redacted(self.shadow.events[after:end], viewer, self.shadow.table)
        agree(page, {"events": seen, "next": end if end < self.shadow.version else None})

    def check_lines(self, viewer: int | None, after: int) -> bytes:
        """The NDJSON after a version, to the byte; returns it."""
        answer = self.get("/events", viewer, params={"after": after}, headers={"Accept": "application/x-ndjson"})
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        seen = redacted(self.shadow.events[after:], viewer, self.shadow.table)
        assert answer.content == b"".join(rfc8785.dumps(event) + b"\n" for event in seen)
        return answer.content
