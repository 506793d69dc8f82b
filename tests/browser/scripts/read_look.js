() => {
  localStorage.setItem("left", "here");
  const [isDark, isCalm] = ["(prefers-color-scheme: dark)", "(prefers-reduced-motion)"].map((query) => matchMedia(query).matches);
  return [innerWidth, navigator.language, isDark, isCalm];
}
