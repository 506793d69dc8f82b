// This device as one that the service can wake (Web Push): for all games of this browser.

import { gamePath, get, isPassing, post, request } from "../core/api.js";
import { ApiProblem } from "../core/connection.js";
import { byId } from "../core/dom.js";
import { allSeats, notePush } from "../core/session.js";
import { readStored, store } from "../core/storage.js";
import { language } from "../core/words.js";

/** "on", or "off" once it was offered; the browser keeps its own consent beside it. */
const PUSH = "reibach.push";

export function canPush() {
  return "push" in byId("game").dataset && "PushManager" in window && "Notification" in window && "serviceWorker" in navigator;
}

/** Whether the player wants it, and the browser still lets it be. */
export function isPushOn() {
  return canPush() && readStored(PUSH) === "on" && Notification.permission === "granted";
}

/** Whether it is to be offered now: once, and where it can succeed. */
export function takeOffer({ seats, status }) {
  const people = seats.filter(({ name, bot }) => name !== null && bot === null);
  if (status === "over" || people.length < 2) return false;
  const isNew = canPush() && Notification.permission !== "denied" && readStored(PUSH) === null;
  if (isNew) notePushWish("off");
  return isNew;
}

export function notePushWish(wish) {
  store(PUSH, wish);
}

/** Let games be told of that were opened since, where the player has once said so. */
export async function keepPush() {
  if (isPushOn()) await tellService(await subscription());
}

export async function turnOff() {
  notePushWish("off");
  const device = await (await navigator.serviceWorker.ready).pushManager.getSubscription();
  await Promise.allSettled(Object.keys(allSeats()).map(endPush));
  await device?.unsubscribe(); // what the service wasn't told it learns from the push service
}

export async function endPush(game) {
  const { token, push: endpoint } = allSeats()[game];
  if (!endpoint) return;
  notePush(game, undefined);
  await request(gamePath(game, "notifications", "push"), { method: "DELETE", token, body: { endpoint } });
}

/** By what the browser's push service knows this device; it is made for the service's key. Throws where there is none. */
export async function subscription() {
  if (!(await navigator.serviceWorker.getRegistration())) throw new Error("no service worker");
  const { pushManager } = await navigator.serviceWorker.ready;
  const { public_key: applicationServerKey } = await get("/v1/push");
  const kept = await pushManager.getSubscription();
  if (kept && isFor(kept, applicationServerKey)) return kept;
  await kept?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** Whether a subscription is for the service's key: a push service refuses what a service with another key sends. */
function isFor({ options }, key) {
  const bytes = new Uint8Array(options?.applicationServerKey ?? []);
  return !bytes.length || btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "") === key;
}

/**
 * Give the service this device for each game for which it has it not; with `anew`, the id of a game, for all. Answers why
 * it was refused for that one, or null. Others may be over, or their seats revoked: those are not asked again.
 */
export async function tellService(device, anew = null) {
  const { endpoint, keys } = device.toJSON();
  let refused = null;
  for (const [game, { token, push }] of Object.entries(allSeats())) {
    if (push === endpoint && anew === null) continue;
    try {
      await post(gamePath(game, "notifications", "push"), { endpoint, keys, language }, { token });
      notePush(game, endpoint);
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      if (!isPassing(problem)) notePush(game, endpoint);
      if (game === anew) refused = problem;
    }
  }
  return refused;
}
