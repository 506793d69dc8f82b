(all) => all.map((one) => one.getBoundingClientRect().bottom)
