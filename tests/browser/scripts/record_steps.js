() => {
  const table = document.getElementById("table");
  window.steps = [];
  window.mostMoving = 0;
  const record = () => window.steps.push([performance.now(), Number(table.dataset.version), document.getElementById("status-text").textContent]);
  new MutationObserver(() => {
    if (Number(table.dataset.version) > (window.steps.at(-1)?.[1] ?? 0)) record();
  }).observe(table, { attributes: true, attributeFilter: ["data-version"] });
  new MutationObserver(() => {
    window.mostMoving = Math.max(window.mostMoving, document.querySelectorAll(".moving").length);
  }).observe(document.body, { childList: true });
  addEventListener("pointerdown", () => { window.touched = performance.now(); }, { capture: true });
}
