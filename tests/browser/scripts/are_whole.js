(elements) => elements.every((one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1)
