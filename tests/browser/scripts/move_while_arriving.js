// What of a table's rows had another place before the last row, and the text below the table, had arrived.
(rows) => {
  const table = rows[0].closest("table");
  const places = () => rows.map((row) => JSON.stringify([...row.cells].map((cell) => cell.getBoundingClientRect())));
  const whole = places();
  const remark = table.parentElement.nextElementSibling;
  remark?.remove();
  const moved = [];
  for (let last = rows.length - 1; last > 1; last -= 1) {
    rows[last].hidden = true;
    const now = places();
    for (let row = 0; row < last; row += 1) if (now[row] !== whole[row]) moved.push(`${row} without ${last}`);
  }
  for (const row of rows) row.hidden = false;
  if (remark) table.parentElement.after(remark);
  return moved;
}
