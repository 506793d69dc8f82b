(selector) => {
  const isVisible = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility === "visible";
  return [...document.querySelectorAll(selector)].find(isVisible) ?? null;
}
