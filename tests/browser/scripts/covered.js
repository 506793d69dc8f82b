() => {
  const covered = [];
  const isIn = (cell) => {
    const { left, top, width, height } = cell.getBoundingClientRect();
    return cell.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const cells = [...document.querySelectorAll(".market-lines [data-cell]")];
  const isBelow = document.querySelector(".dock-below") !== null;
  const lies = [...document.querySelectorAll(".market-own, #dock")].map((part) => getComputedStyle(part).position);
  for (const cell of cells) {
    if (isBelow) cell.scrollIntoView({ block: "center", behavior: "instant" });
    if (!isIn(cell)) covered.push(`${cell.dataset.seat} ${cell.dataset.business}`);
  }
  scrollTo({ top: 0, behavior: "instant" });
  const hand = document.getElementById("hand").getBoundingClientRect();
  if (isBelow && lies.includes("sticky")) covered.push("the dock");
  return { covered, isBelow, hand: Math.round(innerHeight - hand.bottom), wide: document.documentElement.scrollWidth - innerWidth };
}
