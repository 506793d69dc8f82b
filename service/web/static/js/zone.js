// Sends the browser's time zone along.
document.querySelector("[name=zone]").value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
