// Plays a whole game with two generated clients in turns; argv has the service's address.
import { createClient as createOther } from "@hey-api/client-fetch";
import createClient from "openapi-fetch";
import type { components, paths } from "./api";
import { act, createGame, showGame, showLegalActions } from "./client";

type GameEvent = components["schemas"]["Event"];

const url = process.argv[2] ?? "";
const first = createClient<paths>({ baseUrl: url });
const other = createOther({ baseUrl: url });
const made = await createGame({ client: other, body: { seats: [{ name: "Anna" }, { name: "Bert" }] } });
if (!made.data) throw new Error(JSON.stringify(made.error));
const { id } = made.data.game;
const tokens = made.data.seats.map(({ token }) => ({ Authorization: `Bearer ${token}` }));
const path = { id };

for (;;) {
  const { data: view } = await first.GET("/v1/games/{id}", { params: { path } });
  if (!view) throw new Error("no view");
  if (view.status === "over") break;
  if (view.status === "scoring" || !view.turn) {
    await showGame({ client: other, path, query: { wait: 5 }, headers: { "If-None-Match": `"${view.version}"` } });
    continue;
  }
  const headers = tokens[view.turn.seat];
  const { data: legal } = view.turn.number % 2
    ? await showLegalActions({ client: other, path, headers })
    : await first.GET("/v1/games/{id}/legal-actions", { params: { path }, headers });
  const [body] = legal?.actions ?? [];
  if (!body) throw new Error("nothing is legal");
  const done = view.turn.number % 2
    ? await act({ client: other, path, headers, body })
    : await first.POST("/v1/games/{id}/actions", { params: { path }, headers, body });
  if (done.error) throw new Error(JSON.stringify(done.error));
}

const events: GameEvent[] = [];
for (let after: number | null = 0; after !== null;) {
  const answer: { data?: unknown } = await first.GET("/v1/games/{id}/events", { params: { path, query: { after } } });
  const page = answer.data as components["schemas"]["EventsPage"];
  events.push(...page.events);
  after = page.next;
}
const later: GameEvent = { version: 1, type: "SomethingNew", at: "2030-01-01T00:00:00.000Z", data: {}, hash: "" };
console.log(JSON.stringify({ id, events: events.length, last: events.at(-1)?.type, later: later.type }));
