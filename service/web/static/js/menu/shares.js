// A player's money as a bar: the share of each round, in its order, and the losses, which are eaten off its end.

/**
 * `parts` before losses, the losses `lost` (0 or less): the same with `{width, left}` of each, in millions. Where losses have
 * eaten all of them, nothing is left; the losses begin where the total ends, so that a bar is as wide as its total.
 */
export function sharesOf(parts, lost) {
  const total = parts.reduce((sum, { value }) => sum + value, 0) + lost.value;
  let left = 0;
  const shares = parts.map((part) => {
    const width = Math.max(0, Math.min(part.value, total - left));
    left += width;
    return { ...part, width, left: left - width };
  });
  return [...shares, { ...lost, width: -lost.value, left }];
}
