() => [
  ...[...document.querySelectorAll("#market .column > :not(.drawing)")].filter((one) => one.clientWidth > 1 && one.scrollWidth > one.clientWidth),
  ...[...document.querySelectorAll(".card-letters")].filter((one) => {
    const inner = one.parentElement.getBoundingClientRect().left + one.parentElement.clientLeft;
    return one.getBoundingClientRect().right > inner + one.parentElement.clientWidth;
  }),
].map((one) => one.parentElement.outerHTML.slice(0, 160))
