() => {
  const right = (one) => one.getBoundingClientRect().right;
  const facts = [...document.querySelectorAll(".line-facts span")];
  return facts.filter((one) => right(one) > right(one.parentElement) + 1).map((one) => one.innerText);
}
