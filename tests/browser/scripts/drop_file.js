(text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "edited.ndjson"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}
