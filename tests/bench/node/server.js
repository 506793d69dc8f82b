// boardgame.io's own server with its default store in memory. Usage: node server.js PORT
'use strict';

const { Server } = require('boardgame.io/server');
const { reibach } = require('./table.js');

const server = Server({ games: [reibach], origins: [/127\.0\.0\.1/] });
server.run({ port: Number(process.argv[2]) });
