// Pages without a connection: the rules, the page that checks a file, replays that were loaded once, and the empty page of
// a table. And notifications, which the service sends to devices that were given to it.
// Rule: nothing that a seat's token has fetched is kept. A request with a token isn't even looked at here, and the part
// of an address after its #, where links carry tokens, is no part of a key.

const CACHE = "reibach-1";
/** The service answers any digest in this path. */
const ICON = "/static/0/icon-192.png";
/** Of assets, and of what replays are made of. */
const MOST_KEPT = 40;
const ASSET = /^\/static\/[0-9a-f]+\/[\w.-]+$/;
const KEPT_PAGES = ["/rules", "/check"];
const PAGE = /^\/(rules|check|g\/[^/]+(\/replay)?)$/;
const TABLE = /^\/g\/[^/]+$/;
const REPLAY = /^\/(v1\/games|g)\/[^/]+\/(replay|recap)$/;

self.addEventListener("install", (event) => {
  event.waitUntil(keepPages().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOldCaches().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || request.headers.has("Authorization")) return;
  if (ASSET.test(url.pathname)) event.respondWith(fromCacheFirst(request, url));
  else if ((request.mode === "navigate" && PAGE.test(url.pathname)) || REPLAY.test(url.pathname)) event.respondWith(fromNetworkFirst(request, url));
});

/** Under what an answer is kept. The page of a table is the same for all games: one in each language is kept. */
function keyOf(url, answer) {
  if (!TABLE.test(url.pathname)) return url.origin + url.pathname + url.search;
  return `${url.origin}/g/?lang=${answer?.headers.get("Content-Language") ?? url.searchParams.get("lang")}`;
}

async function fromCacheFirst(request, url) {
  const cache = await caches.open(CACHE);
  return (await cache.match(keyOf(url))) ?? fetchAndKeep(cache, request, url);
}

async function fromNetworkFirst(request, url) {
  const cache = await caches.open(CACHE);
  try {
    return await fetchAndKeep(cache, request, url);
  } catch (error) {
    const kept = (await cache.match(keyOf(url))) ?? (await cache.match(keyOf(url), { ignoreSearch: PAGE.test(url.pathname) }));
    if (kept) return kept;
    throw error;
  }
}

async function fetchAndKeep(cache, request, url) {
  const answer = await fetch(request);
  if (answer.status === 200 && !/no-store/.test(answer.headers.get("Cache-Control") ?? "")) {
    // Where the storage is full it is lost for later, but not for now.
    await cache.put(keyOf(url, answer), answer.clone()).then(() => trim(cache)).catch(() => undefined);
  }
  return answer;
}

/** Remove what was kept first, where there is too much; `KEPT_PAGES` and tables stay. */
async function trim(cache) {
  const keys = await cache.keys();
  const surplus = [ASSET, REPLAY].flatMap((kind) => keys.filter(({ url }) => kind.test(new URL(url).pathname)).slice(0, -MOST_KEPT));
  await Promise.all(surplus.map((key) => cache.delete(key)));
}

/** Pages and what they load, at once, a table that is open among them: they are wanted when there is no connection. */
async function keepPages() {
  const cache = await caches.open(CACHE);
  const assets = new Set();
  const open = (await windows()).map(({ url }) => new URL(url)).filter(({ pathname }) => TABLE.test(pathname));
  for (const url of [...KEPT_PAGES.map((path) => new URL(path, location.href)), ...open.slice(0, 1)]) {
    const page = await fetch(url.pathname + url.search, { cache: "no-cache" });
    if (page.status !== 200) continue;
    for (const asset of (await page.clone().text()).match(/\/static\/[0-9a-f]+\/[\w.-]+/g) ?? []) assets.add(asset);
    await cache.put(keyOf(url, page), page);
  }
  for (const asset of assets) await fetchAndKeep(cache, asset, new URL(asset, location.href));
}

async function removeOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

self.addEventListener("push", (event) => event.waitUntil(notify(event.data.json())));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openGame(event.notification.data));
});

function windows() {
  return clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** The windows that show a game's table; `url`: an address of it. */
async function windowsOf(url) {
  const { pathname } = new URL(url, location.href);
  return (await windows()).filter((one) => new URL(one.url).pathname === pathname);
}

/**
 * Show what the service sends, in the place of what it has sent of the game before: without a sound where the table is in
 * sight, but always. Safari ends a subscription after three pushes that showed nothing.
 */
async function notify({ title, body, url, tag }) {
  const isInSight = (await windowsOf(url)).some(({ visibilityState }) => visibilityState === "visible");
  await registration.showNotification(title, { body, tag, renotify: !isInSight, silent: isInSight, data: url, icon: ICON });
}

async function openGame(url) {
  const [open] = await windowsOf(url);
  await (open ? open.focus() : clients.openWindow(url));
}
