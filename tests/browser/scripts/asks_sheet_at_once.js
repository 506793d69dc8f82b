() => {
  const timesOf = (end) => performance.getEntriesByType("resource").find(({ name }) => name.endsWith(end));
  return timesOf("/scores").startTime < timesOf(location.pathname.split("/")[2]).responseEnd;
}
