// Plays on that server over websockets. Each client sits on all seats of a match of its own, sends its next move at the
// update of the last one, and begins another match when one is over.
// Usage: node clients.js PORT play CLIENTS SECONDS; prints `begin` after a warm-up, then {"moves": ..., "seconds": ...,
//   "p50": ..., "p99": ...}, or, if the server ends before, the last state of each match that was received, {MATCH: ID}.
// node clients.js PORT check MATCH; prints the id of the state that the server has.
'use strict';

const { io } = require('socket.io-client');
const { reibach, choose, SEATS } = require('./table.js');

const [port, task, ...words] = process.argv.slice(2);
const [clients, seconds] = words.map(Number);
const WARM_UP_MS = 1000;
const PATIENCE_MS = 10000;
const begin = performance.now() + WARM_UP_MS;
const end = begin + 1000 * seconds;
const times = [];
const states = {};

const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const connect = () => io(`http://127.0.0.1:${port}/${reibach.name}`, { transports: ['websocket'], forceNew: true });

function play(number) {
  return new Promise((done, failed) => {
    const socket = connect();
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
    socket.on('disconnect', (reason) => {
      if (reason !== 'io client disconnect') done();
    });
    socket.on('connect', sit);
    socket.on('sync', (matchID, info) => {
      if (matchID === id()) move(info.state);
    });
    socket.on('update', (matchID, state) => {
      if (matchID !== id()) return;
      moves += 1;
      states[matchID] = state._stateID;
      const now = performance.now();
      if (now >= end) {
        socket.close();
        done();
        return;
      }
      if (now >= begin) times.push(now - sent);
      if (state.ctx.gameover) {
        match += 1;
        moves = 0;
        sit();
      } else move(state);
    });
    setTimeout(() => failed(new Error(`client ${number} hangs in match ${match} after ${moves} moves`)),
      WARM_UP_MS + 1000 * seconds + PATIENCE_MS).unref();
  });
}

function check(match) {
  return new Promise((done, failed) => {
    const socket = connect();
    socket.on('connect', () => socket.emit('sync', match, '0', undefined, SEATS));
    socket.on('sync', (_, info) => done(info.state._stateID));
    socket.on('disconnect', () => failed(new Error(`the server ended at ${match}`)));
    setTimeout(() => failed(new Error(`no state of ${match}`)), PATIENCE_MS).unref();
  });
}

async function main() {
  if (task === 'check') {
    tell(await check(words[0]));
    return;
  }
  setTimeout(() => process.stdout.write('begin\n'), WARM_UP_MS).unref();
  await Promise.all(Array.from({ length: clients }, (_, number) => play(number)));
  if (performance.now() < end) {
    tell(states);
    return;
  }
  times.sort((a, b) => a - b);
  const quantile = (part) => times[Math.floor(times.length * part)];
  tell({ moves: times.length, seconds, p50: quantile(0.5), p99: quantile(0.99) });
}

main().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  },
);
