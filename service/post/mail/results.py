"""What a scoring round, or the whole game, has brought: the headline of its mail, who has how much, and by what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.cards import BUSINESSES
from domain.fairness.canonical import JsonObject
from domain.projections.clauses import describe_incomes
from domain.projections.score_sheet import lay_out
from domain.words.catalogue import read
from domain.words.wording import Words, format_number
from service.post.mail.contents import label_players
from service.post.snapshot import SeatSnapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    headline: str
    lines: Sequence[str]
    """Below it."""
    heading: str
    """Of the businesses."""
    standings: Sequence[str]
    """A line for each player."""
    businesses: Sequence[tuple[str, str]]
    """A business, or `losses`, and who got what by it."""


def tell_result(kind: str, snapshot: SeatSnapshot, version: int, words: Words) -> Result | None:
    """What a notice of this kind and version tells; None where it is of no scoring round, nor of an end."""
    names, more = label_players(snapshot, words), read(words.language, "mail")
    if kind == "over":
        scores = snapshot.table.scores
        return Result(
            headline=_tell_end(snapshot, names, words),
            lines=[more.cheek] if scores["winners"] == [snapshot.seat] else [],
            heading=more.headings["sums"],
            standings=_rank(scores, names, words),
            businesses=_lay_out_sums(scores, names),
        )
    if kind != "scoring":
        return None
    told = (event["data"] for event in reversed(snapshot.events[:version]) if event["type"] == "RoundScored")
    scored = next(told)
    income = words.money(scored["seats"][snapshot.seat]["income"], signed=True)
    return Result(
        headline=more.headlines["scoring"].format(round=scored["round"], income=income),
        lines=[],
        heading=more.headings["round"].format(round=scored["round"]),
        standings=describe_incomes(scored, snapshot.table, names, words),
        businesses=_lay_out_round(scored, names, words),
    )


def _tell_end(snapshot: SeatSnapshot, names: Sequence[str], words: Words) -> str:
    headlines: Mapping[str, str] = read(words.language, "mail").headlines
    table, winners = snapshot.table, snapshot.table.winners or []
    if not winners:
        return headlines["cancelled"]
    is_shared = "shared" if len(winners) > 1 else "won"
    side = "own" if snapshot.seat in winners else "other"
    return headlines[f"{is_shared}.{side}"].format(
        winners=words.join([names[seat] for seat in winners]),
        total=words.money(table.seats[winners[0]].total),
        own=words.money(table.seats[snapshot.seat].total),
    )


def _lay_out_round(scored: JsonObject, names: Sequence[str], words: Words) -> list[tuple[str, str]]:
    """By business, who earned what with which row. `scored`: the data of a RoundScored."""
    earned: Mapping[str, str] = read(words.language, "mail").earned
    lines = []
    for business in BUSINESSES:
        rows = [(names[one["seat"]], row) for one in scored["seats"] if (row := one["businesses"].get(business))]
        texts = [
            earned["doubled" if row["doubled"] else "plain"].format(
                player=name, amount=format_number(row["income"], signed=True), length=row["length"]
            )
            for name, row in rows
        ]
        lines += [(business, ", ".join(texts))] if texts else []
    return lines


def _lay_out_sums(scores: JsonObject, names: Sequence[str]) -> list[tuple[str, str]]:
    """By business, and for the losses, what each player got in all rounds. `scores`: in the contract's shape."""
    lines = [(line.name, zip(names, line.sum_seats(), strict=True)) for line in lay_out(scores)[:-1]]
    texts = [(name, [f"{player}\u00a0{format_number(sum_)}" for player, sum_ in sums if sum_]) for name, sums in lines]
    return [(name, ", ".join(some)) for name, some in texts if some]


def _rank(scores: JsonObject, names: Sequence[str], words: Words) -> list[str]:
    """A line for each player, the richest first; equal ones have equal places."""
    totals = scores["totals"]
    order = sorted(range(len(names)), key=lambda seat: -totals[seat])
    places = [1 + sum(total > totals[seat] for total in totals) for seat in order]
    return [
        f"{place}. {names[seat]}{words.colon}{words.money(totals[seat])}"
        for place, seat in zip(places, order, strict=True)
    ]
