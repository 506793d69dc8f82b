// Sends the browser's time zone along with the form.

const zone = document.createElement("input");
Object.assign(zone, { type: "hidden", name: "zone", value: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "" });
document.querySelector("form[method=post]").append(zone);
