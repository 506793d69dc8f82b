() => {
  const enter = () => new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true });
  for (const _ of [1, 2, 3]) document.getElementById("message-text").dispatchEvent(enter());
}
