// boardgame.io's own server. Usage: node server.js PORT memory | FlatFile FOLDER | PostgreSQL URL
'use strict';

const { Server, FlatFile } = require('boardgame.io/server');
const { reibach } = require('./table.js');

const [port, name, target] = process.argv.slice(2);
const stores = {
  memory: () => undefined,
  FlatFile: () => new FlatFile({ dir: target }),
  PostgreSQL: () => {
    const { PostgresStore } = require('bgio-postgres');
    return new PostgresStore(target, { logging: false, pool: { max: 10 } });
  },
};
Server({ games: [reibach], origins: [/127\.0\.0\.1/], db: stores[name]() }).run({ port: Number(port) });
