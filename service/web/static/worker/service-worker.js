// Pages without a connection: the rules, the page that checks a file, and replays that were loaded once.
// Rule: nothing that a seat's token has fetched is kept. A request with a token isn't even looked at here, and the part
// of an address behind its #, where links carry tokens, is no part of a key.

const CACHE = "reibach-1";
const MOST_ASSETS = 40;
const MOST_REPLAYS = 40;
const ASSET = /^\/static\/[0-9a-f]+\/[\w.-]+$/;
const KEPT_PAGES = ["/rules", "/check"];
const PAGE = /^\/(rules|check|g\/[^/]+\/replay)$/;
const REPLAY = /^\/v1\/games\/[^/]+\/(replay|recap)$/;

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
  else if (request.mode === "navigate" && PAGE.test(url.pathname)) event.respondWith(fromNetworkFirst(request, url));
  else if (REPLAY.test(url.pathname)) event.respondWith(fromNetworkFirst(request, url));
});

function keyOf(url) {
  return url.origin + url.pathname + url.search;
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
    await keep(cache, keyOf(url), answer.clone());
  }
  return answer;
}

/** Keep an answer for later; where the storage is full it is lost for then, but not for now. */
async function keep(cache, key, answer) {
  try {
    await cache.put(key, answer);
    await trim(cache);
  } catch {
    // The page has its answer all the same.
  }
}

/** Remove what was kept first, where there is too much; `KEPT_PAGES` stay. */
async function trim(cache) {
  const keys = await cache.keys();
  const paths = keys.map((key) => new URL(key.url).pathname);
  const assets = keys.filter((_, index) => ASSET.test(paths[index]));
  const replays = keys.filter((_, index) => !ASSET.test(paths[index]) && !KEPT_PAGES.includes(paths[index]));
  const surplus = [...assets.slice(0, -MOST_ASSETS), ...replays.slice(0, -MOST_REPLAYS)];
  await Promise.all(surplus.map((key) => cache.delete(key)));
}

/** Pages and what they load, at once: they are wanted when there is no connection. */
async function keepPages() {
  const cache = await caches.open(CACHE);
  const assets = new Set();
  for (const path of KEPT_PAGES) {
    const page = await fetch(path, { cache: "no-cache" });
    if (page.status !== 200) continue;
    for (const asset of (await page.clone().text()).match(/\/static\/[0-9a-f]+\/[\w.-]+/g) ?? []) assets.add(asset);
    await cache.put(new URL(path, location.href).href, page);
  }
  for (const asset of assets) await fetchAndKeep(cache, asset, new URL(asset, location.href));
}

async function removeOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}
