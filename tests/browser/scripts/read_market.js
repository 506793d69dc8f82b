() => {
  const data = (selector) => [...document.querySelectorAll(selector)].map((one) => one.dataset);
  return [
    data("#market [data-cell]").map((cell) => [cell.seat, cell.business, cell.length, cell.income].join(" ").trim()),
    data("#market [data-total]").map(({ seat, total, gain }) => [seat, total, gain].join(" ")),
    data("#display [data-slot]").map(({ worth }) => worth),
  ];
}
