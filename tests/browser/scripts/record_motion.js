() => {
  window.moves = [];
  new MutationObserver((changes) => {
    for (const copy of changes.flatMap((change) => [...change.addedNodes])) {
      if (copy.className !== "moving") continue;
      const [motion] = copy.getAnimations();
      window.moves.push({
        card: copy.firstElementChild.dataset.card,
        input: getComputedStyle(copy).pointerEvents,
        properties: motion.effect.getKeyframes().flatMap(Object.keys),
        duration: motion.effect.getTiming().duration,
      });
    }
  }).observe(document.body, { childList: true });
}
