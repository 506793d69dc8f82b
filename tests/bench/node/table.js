// A card game of the same kind as ours for boardgame.io: three action points a turn, a display of three cards, a draw
// pile, hands, and rows of one business each. Written for its own framework: plain state, changed by the moves.
'use strict';

const { INVALID_MOVE } = require('boardgame.io/core');

const BUSINESSES = 10;
const CARDS_OF_EACH = 11;
const SEATS = 4;
const HAND = 4;
const DISPLAY = 3;

function deal(ctx, random) {
  const all = [];
  for (let business = 0; business < BUSINESSES; business++) {
    for (let copy = 0; copy < CARDS_OF_EACH; copy++) all.push(business);
  }
  const pile = random.Shuffle(all);
  return {
    seats: Array.from({ length: ctx.numPlayers }, () => ({ hand: pile.splice(0, HAND), rows: [] })),
    display: pile.splice(0, DISPLAY),
    pile,
    points: 3,
  };
}

function pay(G, events, points) {
  G.points -= points;
  if (G.points === 0) {
    G.points = 3;
    events.endTurn();
  }
}

function fromHand(seat, card) {
  const place = seat.hand.indexOf(card);
  if (place < 0) return false;
  seat.hand.splice(place, 1);
  return true;
}

const reibach = {
  name: 'reibach-like',
  setup: ({ ctx, random }) => deal(ctx, random),
  moves: {
    take({ G, playerID, events }, slot) {
      if (G.pile.length === 0 || slot >= DISPLAY) return INVALID_MOVE;
      G.seats[playerID].hand.push(G.display[slot]);
      G.display[slot] = G.pile.pop();
      pay(G, events, 1);
    },
    draw({ G, playerID, events }) {
      if (G.points < 2 || G.pile.length === 0) return INVALID_MOVE;
      G.seats[playerID].hand.push(G.pile.pop());
      pay(G, events, 2);
    },
    lay({ G, playerID, events }, card) {
      const seat = G.seats[playerID];
      if (seat.rows.length >= BUSINESSES || !fromHand(seat, card)) return INVALID_MOVE;
      seat.rows.push({ businessmaker: card, business: null, cards: [] });
      pay(G, events, 1);
    },
    append({ G, playerID, events }, card, number) {
      const seat = G.seats[playerID];
      const row = seat.rows[number];
      const fits = row && (row.business === card || (row.business === null && !seat.rows.some((r) => r.business === card)));
      if (!fits || !fromHand(seat, card)) return INVALID_MOVE;
      row.business = card;
      row.cards.push(card);
      pay(G, events, 1);
    },
  },
  endIf: ({ G }) => (G.pile.length === 0 ? { over: true } : undefined),
};

// What a player does next, by the look of the table: lay and append where it can, else take and sometimes draw.
function choose(G, playerID, count) {
  const seat = G.seats[playerID];
  for (const card of seat.hand) {
    const own = seat.rows.findIndex((row) => row.business === card);
    if (own >= 0) return ['append', card, own];
    const empty = seat.rows.findIndex((row) => row.business === null);
    if (empty >= 0) return ['append', card, empty];
  }
  if (seat.hand.length > 5 && seat.rows.length < BUSINESSES) return ['lay', seat.hand[0]];
  return count % 4 === 0 && G.points >= 2 ? ['draw'] : ['take', count % DISPLAY];
}

module.exports = { reibach, choose, SEATS };
