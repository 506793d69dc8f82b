// In place of what a headless browser hasn't: the player's consent, and a push service.
let permission = localStorage.getItem("test.permission") ?? "default";
const here = () => JSON.parse(localStorage.getItem("test.device"));
const device = ({ endpoint, key }) => ({
  endpoint,
  options: { applicationServerKey: Uint8Array.from(atob(key.replace(/-/g, "+").replace(/_/g, "/")), (byte) => byte.charCodeAt(0)).buffer },
  toJSON: () => ({ endpoint, keys: { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" } }),
  unsubscribe: async () => localStorage.removeItem("test.device"),
});
Object.defineProperty(Notification, "permission", { get: () => permission });
Notification.requestPermission = async () => {
  permission = window.refusesPush ? "denied" : "granted";
  localStorage.setItem("test.permission", permission);
  return permission;
};
PushManager.prototype.getSubscription = async () => here() && device(here());
PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
  if (!userVisibleOnly || atob(applicationServerKey.replace(/-/g, "+").replace(/_/g, "/")).length !== 65) throw new TypeError("no key");
  localStorage.setItem("test.device", JSON.stringify({ endpoint: "http://127.0.0.1:9/1", key: applicationServerKey }));
  return device(here());
};
