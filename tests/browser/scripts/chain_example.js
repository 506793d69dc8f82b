async ({ game, server_seed, events }) => {
  const chain = await import("/verify/chain.js");
  const { toHex } = await import("/verify/webcrypto.js");
  const hashes = await chain.chainHashes(server_seed, game, events);
  return [toHex(await chain.chainKey(server_seed)), hashes.slice(1), await Promise.all(events.map(chain.hashedPart))];
}
