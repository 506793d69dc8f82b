() => {
  // The part of the window that cards cover: every point of a grid over which a card or a stack's card lies.
  const step = 20;
  let covered = 0;
  let all = 0;
  for (let y = step / 2; y < innerHeight; y += step) {
    for (let x = step / 2; x < innerWidth; x += step) {
      all += 1;
      if (document.elementsFromPoint(x, y).some((at) => at.matches("#display .card, #hand .card, .stack-card"))) covered += 1;
    }
  }
  return (100 * covered) / all;
}
