() => [...document.querySelectorAll("#status-text, #status-points, #display, .line, .player")].map((one) =>
  one.innerText + [...one.querySelectorAll("[aria-label]")].filter((each) => each.checkVisibility())
    .map((each) => each.ariaLabel))
