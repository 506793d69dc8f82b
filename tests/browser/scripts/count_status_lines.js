() => {
  const status = document.getElementById("status-text");
  return Math.round(status.clientHeight / parseFloat(getComputedStyle(status).lineHeight));
}
