(bars) => bars.map((bar) => Math.max(...[...bar.querySelectorAll("[data-value]:not(.share-lost)")].map((one) => one.getBoundingClientRect().right)) - bar.getBoundingClientRect().left)
