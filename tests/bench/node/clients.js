// Plays on that server over websockets. Each client sits on all seats of a match of its own, sends its next move at the
// update of the last one, and begins another match when one is over.
// Usage: node clients.js PORT CLIENTS SECONDS; prints {"moves_per_s": ..., "p50": ..., "p99": ..., "moves_per_match": ...}.
'use strict';

const { io } = require('socket.io-client');
const { reibach, choose, SEATS } = require('./table.js');

const [port, clients, seconds] = process.argv.slice(2).map(Number);
const WARM_UP_MS = 1000;
const begin = performance.now() + WARM_UP_MS;
const end = begin + 1000 * seconds;
const times = [];
const lengths = [];

function play(number) {
  return new Promise((done, failed) => {
    const socket = io(`http://127.0.0.1:${port}/${reibach.name}`, { transports: ['websocket'], forceNew: true });
    let match = 0;
    let moves = 0;
    let sent = 0;

    const id = () => `${process.pid}-${number}-${match}`;
    const sit = () => socket.emit('sync', id(), '0', undefined, SEATS);
    const move = (state) => {
      const seat = state.ctx.currentPlayer;
      const [type, ...args] = choose(state.G, seat, moves);
      sent = performance.now();
      socket.emit('update', { type: 'MAKE_MOVE', payload: { type, args, playerID: seat } }, state._stateID, id(), seat);
    };

    socket.on('connect_error', failed);
    socket.on('connect', sit);
    socket.on('sync', (matchID, info) => {
      if (matchID === id()) move(info.state);
    });
    socket.on('update', (matchID, state) => {
      if (matchID !== id()) return;
      moves += 1;
      const now = performance.now();
      if (now >= end) {
        socket.close();
        done();
        return;
      }
      if (now >= begin) times.push(now - sent);
      if (state.ctx.gameover) {
        lengths.push(moves);
        match += 1;
        moves = 0;
        sit();
      } else move(state);
    });
    setTimeout(() => failed(new Error(`client ${number} hangs in match ${match} after ${moves} moves`)),
      WARM_UP_MS + 1000 * seconds + 5000).unref();
  });
}

const quantile = (values, part) => values.sort((a, b) => a - b)[Math.floor(values.length * part)];

Promise.all(Array.from({ length: clients }, (_, number) => play(number))).then(
  () => {
    const found = {
      moves_per_s: times.length / seconds,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      moves_per_match: quantile(lengths, 0.5) ?? 0,
    };
    process.stdout.write(`${JSON.stringify(found)}\n`);
    process.exit(0);
  },
  (error) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  },
);
