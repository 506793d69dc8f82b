() => [
  document.getElementById("moment").value,
  [...document.querySelectorAll("[data-card]")].filter((one) => one.checkVisibility()).map((one) => one.dataset.card),
  [...document.querySelectorAll("#market .line")].map((one) => one.innerText.match(/\d+/g)),
]
