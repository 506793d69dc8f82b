(fields) => {
  const pen = document.createElement("canvas").getContext("2d");
  return fields.filter((field) => {
    const style = getComputedStyle(field);
    pen.font = style.font;
    return pen.measureText(field.placeholder).width > field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  }).map((field) => field.placeholder);
}
