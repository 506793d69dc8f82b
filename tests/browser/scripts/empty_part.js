(box) => box.getBoundingClientRect().bottom - box.lastElementChild.getBoundingClientRect().bottom
