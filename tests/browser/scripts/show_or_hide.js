(isSeen) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => !isSeen });
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (isSeen ? "visible" : "hidden") });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}
