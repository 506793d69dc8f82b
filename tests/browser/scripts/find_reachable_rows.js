() => [...document.querySelectorAll("#market .target, .row-new")].map((target) => {
  const { top, bottom, left, right } = target.getBoundingClientRect();
  const isOnTop = (y) => target.contains(document.elementFromPoint((left + right) / 2, y));
  return isOnTop(top + 4) && isOnTop((top + bottom) / 2) && isOnTop(bottom - 4);
})
