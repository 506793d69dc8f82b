() => {
  const table = document.getElementById("table");
  window.changes = [];
  const record = () => window.changes.push([Number(table.dataset.version), Date.now()]);
  new MutationObserver(record).observe(table, { attributes: true, attributeFilter: ["data-version"] });
  addEventListener("click", () => { window.clicked = Date.now(); }, { capture: true });
}
