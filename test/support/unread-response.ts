import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../../src/node/loopback/http-server.ts';

/** The response to a program that reads nothing by itself, and the program. */
export async function unreadResponse() {
  const server = createServer();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connectSocket(await listen(server), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  // What Node says of the event.
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { socket, response };
}
