() => {
  const { importKey } = crypto.subtle;
  crypto.subtle.importKey = function (format, key, algorithm, ...rest) {
    if (algorithm.name === "Ed25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
    return importKey.call(this, format, key, algorithm, ...rest);
  };
}
