() => {
  window.errors = [];
  addEventListener("error", ({ message }) => window.errors.push(message));
  addEventListener("unhandledrejection", ({ reason }) => window.errors.push(String(reason)));
  addEventListener("securitypolicyviolation", ({ violatedDirective }) => window.errors.push(violatedDirective));
}
