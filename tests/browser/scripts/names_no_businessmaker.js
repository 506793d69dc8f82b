(names) => {
  const lines = [...document.querySelectorAll("#recap li")].map((line) => line.textContent);
  const laid = lines.filter((line) => line.includes("businessmaker"));
  return !names.some((name) => laid.some((line) => line.includes(name)));
}
