// Lets this site be installed, and its rules and loaded replays be read without a connection.

addEventListener("load", () => {
  navigator.serviceWorker?.register("/service-worker.js").catch(() => undefined); // pages without TLS have none
});
