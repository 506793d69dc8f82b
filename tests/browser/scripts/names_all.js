(names) => names.every((name) => document.getElementById("recap").textContent.includes(name))
