async (given) => {
  const { keepReceipt, keptReceipts } = await import("/core/session.js");
  for (const [game, version, hash] of given) keepReceipt(game, { version, hash, key: "k", signature: "s", more: 1 });
  return given.map(([game]) => game).filter((game, index, all) => all.indexOf(game) === index)
    .map((game) => keptReceipts(game));
}
