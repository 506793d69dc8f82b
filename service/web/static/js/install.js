// Lets this site be installed, and its rules and loaded replays be read without a connection.

addEventListener("load", () => {
  navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined); // pages without TLS have none
  const { late } = document.querySelector("script[data-late]")?.dataset ?? {};
  if (late && navigator.serviceWorker?.controller) fetch(late).catch(() => undefined); // it is kept: at the first visit the worker fetches it
});
