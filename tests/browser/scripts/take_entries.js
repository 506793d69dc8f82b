(kind) => {
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type: kind, buffered: true });
  return observer.takeRecords().map((entry) => [entry.value ?? entry.duration, entry.hadRecentInput ?? false]);
}
