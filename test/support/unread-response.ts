import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The response to a program that reads nothing by itself, and the program. */
export async function unreadResponse() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const socket = connectSocket((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  // What Node says of the event.
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { socket, response };
}
