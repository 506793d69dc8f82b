async (frames) => {
  const { viewAfter } = await import("/modules/news/position.js");
  return frames.slice(1).map(({ event }, index) => viewAfter(frames[index].view, [event]));
}
