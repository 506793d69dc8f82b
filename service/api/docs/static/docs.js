// Runs after the bundle, as both are deferred. `validatorUrl` null: no badge, which would ask another host.
SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  // Its links stand inside buttons, which do the same.
  plugins: [({ React }) => ({ wrapComponents: { DeepLink: () => ({ text }) => React.createElement("span", null, text) } })],
});
