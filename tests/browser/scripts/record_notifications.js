() => {
  self.shown = [];
  self.click = (data) => {
    const done = [];
    const event = Object.assign(new Event("notificationclick"), { notification: { data, close: () => shown.push("closed") }, waitUntil: (one) => done.push(one) });
    dispatchEvent(event);
    return Promise.all(done);
  };
  registration.showNotification = async (title, { body, tag, data, silent }) => void shown.push([title, body, tag, data, silent]);
  clients.openWindow = async (url) => void shown.push(["opened", url]);
  WindowClient.prototype.focus = async function focus() { shown.push(["focused", new URL(this.url).pathname]); };
}
