([since, awaitsTurn]) => {
  const table = document.getElementById("table");
  if (table === null || document.readyState === "loading") {
    return null; // another document is being loaded
  }
  const turn = document.getElementById("turn");
  const isOver = table.dataset.status === "over";
  const isOwn = document.getElementById("status").classList.contains("status-own");
  if (Number(table.dataset.version) <= since || table.dataset.status === "scoring" || turn.ariaBusy === "true") {
    return null;
  }
  return (isOwn || isOver || !awaitsTurn) && {
    isOver,
    isOwn,
    points: Number(turn.querySelector(".points")?.ariaLabel.match(/\d+/)[0] ?? 0),
    cards: document.querySelectorAll("#hand button.card").length,
    rounds: document.querySelectorAll("#track .track-shown.track-scoring").length,
  };
}
