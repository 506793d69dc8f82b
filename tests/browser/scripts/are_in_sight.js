(elements) => elements.length > 0 && elements.every((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const isOnTop = one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  return isOnTop && left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
})
