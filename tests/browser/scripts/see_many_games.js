() => {
  const games = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`game-${index}`, 1]));
  for (const key of ["seen", "rounds"]) localStorage[`reibach.${key}`] = JSON.stringify(games);
}
