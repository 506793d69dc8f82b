"""Writes the examples of the OpenAPI document: answers of one game, whose seed makes them the same every time but for
ids, times and tokens.

Run: `python -m tests.bench.tools.record_examples ADDRESS`, against a service that allows seeds and pushes.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from tests.support.client import Api

SUBSCRIPTION = {
    "email": "anna@example.org",
    "confirmed": True,
    "refused": False,
    "webhook": {
        "url": "https://example.org/reibach",
        "secret": "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldCE=",
    },
    "on": ["turn", "reminder", "over"],
    "language": "de",
    "zone": "Europe/Berlin",
    "quiet": {"from": "22:00", "to": "08:00"},
    "while_watching": True,
    "receipts": True,
    "push": [{"host": "push.example.org", "since": "2026-01-31T18:05:09.123Z"}],
}
DELIVERY = {
    "at": "2026-01-31T18:05:09.123Z",
    "channel": "webhook",
    "type": "turn.started",
    "version": 57,
    "attempt": 1,
    "status": "retry",
    "error": "status 500",
}
"""These two need a mail server and a name server, and aren't recorded."""
FILE = Path(__file__).parents[3] / "service" / "api" / "docs" / "examples.json"
NDJSON = {"Accept": "application/x-ndjson"}


def record(api: Api) -> dict[str, Any]:
    """Shape, or media type of a text -> an answer."""
    table = api.create([{"name": "Anna", "entropy": "tulip"}, {}])
    kept = {"Created": table.answer}
    kept["Joined"] = api.post(f"{table.path}/seats", json={"name": "Bert"}).json()
    table.tokens[1] = kept["Joined"]["token"]
    kept["Acted"] = api.act(table, 0, {"type": "take", "slot": 1}).json()
    kept["Accepted"] = api.post(f"{table.path}/messages", table.tokens[1], json={"text": "Good luck!"}).json()
    kept["View"] = api.view(table, 0)
    anna = table.tokens[0]
    kept["LegalActions"] = api.get(f"{table.path}/legal-actions", anna).json()
    kept["LegalActions"]["actions"] = kept["LegalActions"]["actions"][:4]
    gold = [{"type": "take", "card": "gold"}, {"type": "draw"}], [{"type": "append", "card": "gold", "row": 0}]
    kept["OrdersView"] = api.request("PUT", f"{table.path}/orders", table.tokens[1], json={"steps": gold}).json()
    kept["EventsPage"] = api.get(f"{table.path}/events?after=5&limit=3", anna).json()
    kept["Recap"] = api.get(f"{table.path}/recap?since=4", anna).json()
    kept["Receipt"] = api.get(f"{table.path}/receipt").json()
    api.create([{"name": "Anna"}, {}], listed=True, name="Stammtisch Nr. 4")
    kept["GamesPage"] = api.get("/v1/games?listed=true&status=open&limit=1").json()
    kept["showEvents application/x-ndjson"] = api.get(f"{table.path}/events?after=5", headers=NDJSON).text
    kept["showReplay application/x-ndjson"] = api.get(f"{table.path}/replay?after=5&limit=1").text
    stream = f"{table.path}/events?after={api.version(table) - 1}"
    with api.http.stream("GET", stream, headers={"Accept": "text/event-stream"}) as answer:
        kept["showEvents text/event-stream"] = next(part for part in answer.iter_text() if "data:" in part)
    for path, name in {
        "/v1/keys": "Keys",
        "/v1/push": "PushKey",
        "/v1/bots": "Bots",
        "/healthz": "Health",
        "/readyz": "Readiness",
    }.items():
        kept[name] = api.get(path).json()
    over = api.create([{"bot": "greedy"}, {"bot": "random"}])
    while api.view(over)["status"] != "over":
        time.sleep(0.2)
    kept["Scores"] = api.get(f"{over.path}/scores").json()
    for seat in kept["Scores"]["rounds"][0]["seats"]:
        seat["businesses"] = dict(list(seat["businesses"].items())[:2])
    del kept["Scores"]["rounds"][1:]
    announced = kept["Scores"]["rounds"][0]["version"] - 1
    kept["ScoresNow"] = api.get(f"{over.path}/scores/now?at={announced}").json()
    del kept["ScoresNow"]["businesses"][2:]
    kept["Audit"] = api.get(f"{over.path}/audit").json()
    while (asked := api.post(f"{over.path}/analysis")).status_code != 200:
        time.sleep(0.2)
    kept["Analysis"] = asked.json()
    del kept["Analysis"]["turns"][2:]
    kept["showScores text/csv"] = api.get(f"{over.path}/scores", headers={"Accept": "text/csv"}).text
    kept["Subscription"], kept["Deliveries"] = SUBSCRIPTION, {"deliveries": [DELIVERY]}
    kept["TokenSent"] = {"valid_hours": 24}
    kept["Devices"] = {"devices": 1}
    kept["Invitations"] = {"invitations": [{"seat": 1, "name": "Bert", "status": "sent", "until": None, "error": None}]}
    return kept


if __name__ == "__main__":
    with httpx.Client(base_url=sys.argv[1], timeout=30) as http:
        FILE.write_text(json.dumps(record(Api(http)), ensure_ascii=False, indent=1) + "\n", "utf-8")
