() => {
  window.moments = [];
  const slider = document.getElementById("moment");
  new MutationObserver(() => window.moments.push(Number(slider.value))).observe(slider, { attributes: true });
}
