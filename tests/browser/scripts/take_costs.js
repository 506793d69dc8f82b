async (view) => {
  // What the table's modules need of a page.
  document.documentElement.lang = "en";
  document.head.append(Object.assign(document.createElement("script"), { id: "words", type: "application/json", text: "{}" }));
  const { canAfford, costOf } = await import("/table/turn.js");
  const takes = view.display.map((_, slot) => ({ type: "take", slot }));
  return takes.map((take) => [costOf(view, take), canAfford(view, [], take)]);
}
