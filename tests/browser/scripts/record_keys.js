() => {
  const send = window.fetch;
  window.sent = [];
  window.fetch = (path, options = {}) => {
    window.sent.push([options.method ?? "GET", String(path), options.headers?.["Idempotency-Key"] ?? null]);
    return send(path, options);
  };
}
