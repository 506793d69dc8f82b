async (game) => {
  const { keepReceipt, keptReceipts } = await import("/core/session.js");
  const { setItem } = Storage.prototype;
  for (const version of [1, 2, 3]) {
    Storage.prototype.setItem = version === 1 ? () => { throw new Error("full"); } : setItem;
    keepReceipt(game, { version, hash: "h", key: "k", signature: "s" });
  }
  return [keptReceipts(game), JSON.parse(localStorage["reibach.receipts"])[game]];
}
