// Runs after the bundle, as both are deferred. `validatorUrl` null: no badge, which would ask another host.
SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  // Its links are inside buttons, which do the same.
  plugins: [({ React }) => ({ wrapComponents: { DeepLink: () => ({ text }) => React.createElement("span", null, text) } })],
});

// The search: what has all words stays, of a document whose title has them all parts.
const find = document.querySelector("#find");
find.hidden = false;
find.addEventListener("input", () => {
  const words = find.querySelector("input").value.toLowerCase().split(/\s+/);
  const fits = (element) => words.every((word) => element.textContent.toLowerCase().includes(word));
  let found = 0;
  for (const parts of document.querySelectorAll("main .parts")) {
    const whole = fits(parts.parentElement.querySelector("a"));
    for (const part of parts.children) part.hidden = !whole && !fits(part);
    const shown = parts.querySelectorAll("li:not([hidden])").length;
    parts.parentElement.hidden = !whole && !shown;
    found += shown;
  }
  for (const list of document.querySelectorAll("main > ul")) {
    list.hidden = list.previousElementSibling.hidden = !list.querySelector(":scope > li:not([hidden])");
  }
  find.querySelector("[role=status]").textContent = words.join("") && `${found} found`;
});
