(all) => all.every((one) => one.scrollHeight <= one.clientHeight + 1)
