"""Writes the examples of the OpenAPI document: answers of one game, whose seed makes them the same every time but for
ids, times and tokens. Run it as `python -m tests.api.record_examples ADDRESS`, against a service that allows seeds.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from tests.support.client import Api

FILE = Path(__file__).parents[2] / "service" / "api" / "docs" / "examples.json"
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
    kept["EventsPage"] = api.get(f"{table.path}/events?after=5&limit=3", anna).json()
    kept["Recap"] = api.get(f"{table.path}/recap?since=4", anna).json()
    kept["Receipt"] = api.get(f"{table.path}/receipt").json()
    kept["showEvents application/x-ndjson"] = api.get(f"{table.path}/events?after=5", headers=NDJSON).text
    kept["showReplay application/x-ndjson"] = api.get(f"{table.path}/replay?after=5&limit=1").text
    stream = f"{table.path}/events?after={api.version(table) - 1}"
    with api.http.stream("GET", stream, headers={"Accept": "text/event-stream"}) as answer:
        kept["showEvents text/event-stream"] = next(part for part in answer.iter_text() if "data:" in part)
    for path, name in {"/v1/keys": "Keys", "/v1/bots": "Bots", "/healthz": "Health", "/readyz": "Readiness"}.items():
        kept[name] = api.get(path).json()
    over = api.create([{"bot": "greedy"}, {"bot": "random"}])
    while api.view(over)["status"] != "over":
        time.sleep(0.2)
    kept["Scores"] = api.get(f"{over.path}/scores").json()
    for seat in kept["Scores"]["rounds"][0]["seats"]:
        seat["businesses"] = dict(list(seat["businesses"].items())[:2])
    del kept["Scores"]["rounds"][1:]
    kept["Audit"] = api.get(f"{over.path}/audit").json()
    kept["showScores text/csv"] = api.get(f"{over.path}/scores", headers={"Accept": "text/csv"}).text
    return kept


if __name__ == "__main__":
    with httpx.Client(base_url=sys.argv[1], timeout=30) as http:
        FILE.write_text(json.dumps(record(Api(http)), ensure_ascii=False, indent=1) + "\n", "utf-8")
