// Keeps what a page would show on the installed site's icon, and counts the notes that it would play.
window.signals = { badges: [], notes: 0 };
navigator.setAppBadge = async (number) => { signals.badges.push(number); };
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...when) {
  signals.notes += 1;
  return start.apply(this, when);
};
window.showsDot = () => decodeURIComponent(document.querySelector("link[rel=icon]").href).includes("#d22");
