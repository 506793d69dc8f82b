async (cases) => {
  const { sharesOf } = await import("/modules/menu/shares.js");
  return cases.map(([incomes, lost]) => {
    const shares = sharesOf(incomes.map((value) => ({ value })), { value: lost });
    return [...shares.map(({ width }) => width), shares.at(-1).left];
  });
}
