async (cases) => {
  const { whyText } = await import("/modules/analysis/plan.js");
  const row = ([business, length], index) => ({ row: index, businessmaker: null, business: business || null, cards: Array(length).fill(business), length, closed: false });
  return cases.map(({ played, best, rounds = 0 }) => whyText(...[played, best].map(({ rows, hand, display = [] }) => ({
    status: "playing",
    reibach: { rounds_scored: rounds },
    display,
    you: { seat: 0, hand },
    seats: rows.map((lengths, seat) => ({ seat, rows: Object.entries(lengths).map(row), hand_size: seat ? 0 : hand.length })),
  })), ["Anna", "Bert", "Carla"]));
}
