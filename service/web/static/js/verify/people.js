// The events about people: types, ranges, and that what they need has happened before.
// Who was a person, and when a deadline was, is taken from the log. A copy has the people of its parent, which may be a
// copy, too: so nothing that happened to a seat keeps it from happening once more.

import { demand, isPlainText, isWithin } from "./fault.js";
import { isTime } from "./logfile.js";

const MOST_BANK_SECONDS = 90 * 24 * 3600;
const MOST_VACATION = 30 * 24 * 3600 * 1000;

/** What has happened to people, as far as later events need it. */
export class PeopleRecord {
  last = "";
  timedOut = 0;
  abandoned = new Set();
  consents = new Set();
  awaited = null;
  isPaused = false;
  vacations = new Map();
  banks = new Map();

  leave(seat) {
    for (const consent of this.consents) if (consent.startsWith(`${seat} `)) this.consents.delete(consent);
  }
}

/** By event type: whether it can happen, and what it leaves behind. */
const CHANGES = {
  TurnTimedOut(people, { turn, seat }, table) {
    const isPresent = turn === table.turn && seat === table.turnSeat && !table.scoring;
    const isFirst = isPresent && people.timedOut < turn && !people.abandoned.has(seat);
    people.timedOut = turn;
    return isFirst;
  },
  SeatAbandoned(people, { seat }, table) {
    const isLate = people.last === "TurnTimedOut" && people.timedOut === table.turn;
    const isFollowing = ["ConsentGiven", "PlayerResigned"].includes(people.last);
    const isReleased = table.places.some((_, other) => people.consents.has(consentOf(other, "release", table)));
    people.leave(seat);
    people.abandoned.add(seat);
    return seat === table.turnSeat && (isLate || (isFollowing && isReleased));
  },
  SeatReclaimed: (people, { seat }) => people.abandoned.delete(seat),
  SeatReplaced: (people, { seat, name, salt }, table) =>
    isPlainText(name, 1, 40) && table.mayHave(salt) && people.abandoned.delete(seat),
  PlayerResigned(people, { seat }) {
    people.leave(seat);
    people.abandoned.delete(seat);
    return true;
  },
  ConsentGiven(people, data, table) {
    people.consents.add(consentOf(data.seat, data.to, table));
    return isAgreement(data, table);
  },
  ConsentWithdrawn: (people, data, table) =>
    isAgreement(data, table) && people.consents.delete(consentOf(data.seat, data.to, table)),
  SeatsInvited(people, { seats }, table) {
    const isFirst = people.awaited === null && people.last === "" && table.actions === 0 && table.turn <= 1;
    people.awaited = new Set(seats);
    const isNext = (seat, at) => isWithin(seat, (seats[at - 1] ?? -1) + 1, table.places.length - 1);
    return isFirst && seats.length > 0 && seats.every(isNext);
  },
  InvitationAccepted: (people, { seat }, table) => table.turn <= 1 && people.awaited?.delete(seat),
  GamePaused(people, _data, table) {
    people.isPaused = true;
    return table.places.filter((_, seat) => people.consents.delete(`${seat} pause`)).length > 0;
  },
  GameResumed(people) {
    const wasPaused = people.isPaused;
    people.isPaused = false;
    return wasPaused;
  },
  VacationTaken(people, { seat, until }, table) {
    people.vacations.set(seat, until);
    return isTime(until) && isWithin(new Date(until) - new Date(table.at), 1, MOST_VACATION);
  },
  VacationEnded(people, { seat }, table) {
    const until = people.vacations.get(seat) ?? "";
    people.vacations.delete(seat);
    return until > table.at;
  },
  BankUsed: (people, data, table) => settleBank(people, data, table, data.seconds),
  BankRefilled: (people, data, table) => settleBank(people, data, table, -data.seconds),
};

const MAY_PRECEDE_DEAL = new Set(["SeatsInvited", "InvitationAccepted"]);

/** A consent as it is remembered: one to a release holds until the next action. */
const consentOf = (seat, to, table) => `${seat} ${to}${to === "release" ? ` ${table.actions}` : ""}`;

/** Whether a seat can agree to this: a release is about the seat that the others wait for, nothing else about one. */
function isAgreement({ seat, to, about }, table) {
  if (to === "release") return about === table.turnSeat && about !== seat && !table.scoring;
  return (to === "cancel" || to === "pause") && about === undefined;
}

export const isAboutPeople = (type) => Object.hasOwn(CHANGES, type);

/** Takes an event about people. Throws a Fault where it can't have happened. */
export function followPeople(table, type, data) {
  const { seat = 0 } = data;
  const isThere = (table.isDealt || MAY_PRECEDE_DEAL.has(type)) && isWithin(seat, 0, table.places.length - 1);
  demand(isThere && CHANGES[type](table.people, data, table), "unexpected", "", `${type} ${seat}`);
  table.people.last = type;
}

/** Whether the bank of the seat whose turn ends has so much left. It is full at first, so it is used before it grows. */
function settleBank(people, { seat, seconds, left }, table, used) {
  const isAtEnd = table.turn > 0 && table.due.includes("TurnStarted") && seat === table.turnSeat;
  const areTimes = isWithin(seconds, 1, MOST_BANK_SECONDS) && isWithin(left, 0, MOST_BANK_SECONDS);
  const before = people.banks.get(seat) ?? left + seconds;
  people.banks.set(seat, left);
  return isAtEnd && areTimes && before === left + used;
}
