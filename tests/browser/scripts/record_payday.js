() => {
  const round = document.getElementById("round");
  const flown = [];
  window.payday = null;
  const textsOf = (selector, read) => [...document.querySelectorAll(selector)].map(read).sort();
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (node.matches?.(".moving")) flown.push(node.firstChild.dataset.card);
    }
  }).observe(document.body, { childList: true });
  new MutationObserver(() => {
    if (!round.hidden) {
      window.payday = {
        shown: performance.now(), flown, turned: document.getElementById("round-turned").textContent,
        totals: textsOf("#market [data-total]", (one) => one.dataset.total), bars: textsOf("#round-bars b", (one) => one.textContent),
      };
    } else if (window.payday) window.payday.gone = performance.now();
  }).observe(round, { attributes: true, attributeFilter: ["hidden"] });
}
