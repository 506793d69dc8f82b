() => [
  document.getElementById("moment").value,
  [...document.querySelectorAll("[data-card]")].filter((one) => one.checkVisibility()).map((one) => one.dataset.card),
  [...document.querySelectorAll(".player")].map((one) => one.innerText.match(/\d+/g)),
]
