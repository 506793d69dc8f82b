async ({ files, receipts, keys }) => {
  const { readLog } = await import("/verify/logfile.js");
  const { verifyLog } = await import("/verify/verifier.js");
  const found = [];
  for (const file of files) {
    const log = readLog(Uint8Array.from(atob(file), (byte) => byte.charCodeAt(0)));
    const steps = [];
    for await (const step of verifyLog(log, receipts, keys)) steps.push(step);
    found.push(steps);
  }
  return found;
}
