() => {
  const parts = {
    heading: "#table h2", slot: "#display .card", hand: "#hand .card", cell: "#market :is(th, td)",
    part: "#status, #track, #recap, #turn, #extras > *, .site-footer",
  };
  const places = {};
  for (const [kind, selector] of Object.entries(parts)) {
    document.querySelectorAll(selector).forEach((one, index) => {
      const { top, left, width } = one.getBoundingClientRect();
      const name = [kind, one.id || index];
      if (width > 0) places[name.join(" ")] = [Math.round(left + scrollX), Math.round(top + scrollY)];
    });
  }
  return places;
}
