"""The scores of now, compared with a scoring round."""

from typing import Any


def as_round(now: dict[str, Any]) -> list[dict[str, Any]]:
    """The seats of `…/scores/now` in the shape of a scored round: each with its businesses."""
    found = []
    for seat in now["seats"]:
        rows = {
            race["business"]: row for race in now["businesses"] for row in race["rows"] if row["seat"] == seat["seat"]
        }
        found.append(
            {
                "seat": seat["seat"],
                "businesses": {name: {key: row[key] for key in row if key != "seat"} for name, row in rows.items()},
                "penalties": seat["penalties"],
                "income": seat["income"],
            }
        )
    return found


def check_announced(now: dict[str, Any], scored: dict[str, Any]) -> None:
    """What was told of the round is the round that came: the members of `RoundScored`."""
    assert now["round"] == scored["round"]
    assert as_round(now) == scored["seats"]
    assert [seat["total"] for seat in now["seats"]] == scored["totals"]
