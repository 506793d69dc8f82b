/** The pixels of a square SVG as one sees it, 4 for each of its units: `[size, grays in base64]`. */
async (svg) => {
  const { width, height } = svg.viewBox.baseVal;
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const image = new Image(4 * width, 4 * height);
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.fillStyle = getComputedStyle(svg).backgroundColor;
  canvas.fillRect(0, 0, image.width, image.height);
  canvas.drawImage(image, 0, 0, image.width, image.height);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  const grays = Array.from({ length: data.length / 4 }, (_, index) => String.fromCharCode(data[4 * index]));
  return [image.width, btoa(grays.join(""))];
}
