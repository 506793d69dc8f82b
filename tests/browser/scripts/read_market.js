() => {
  const data = (selector) => [...document.querySelectorAll(selector)].map((one) => one.dataset);
  return [
    data("#market [data-cell]").map(({ seat, business, length, income }) => [seat, business, length, income]),
    Object.fromEntries(data("#market [data-total]").map(({ seat, total, gain }) => [seat, [total, gain]])),
    data("#display [data-slot]").map(({ worth }) => worth),
  ];
}
