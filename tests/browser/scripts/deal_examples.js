async (examples) => {
  const dealer = await import("/verify/cards/dealer.js");
  const { toHex } = await import("/verify/webcrypto.js");
  return Promise.all(examples.map(async ({ server_seed, entropies, first_integers }) => {
    const key = await dealer.shuffleKey(server_seed, entropies);
    const next = await dealer.randomIntegers(key);
    const integers = [];
    for (const _ of first_integers) integers.push(await next());
    return { server_seed, entropies, commitment: await dealer.commitmentTo(server_seed),
      shuffle_key: toHex(key), first_integers: integers, ...await dealer.dealCards(server_seed, entropies, 4) };
  }));
}
