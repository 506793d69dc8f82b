async () => {
  document.body.prepend(Object.assign(document.createElement("hr"), { height: 300, size: 300 }));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await new Promise((done) => setTimeout(() => {
    for (const end = performance.now() + 80; performance.now() < end;);
    setTimeout(done);
  }));
}
