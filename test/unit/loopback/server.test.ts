import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Connections } from '../../../src/node/loopback/connections.ts';
import { endServer, httpOptions, listen, portOf } from '../../../src/node/loopback/http-server.ts';
import { writePart } from '../../../src/node/loopback/slow-reader.ts';
import { eventually } from '../../support/eventually.ts';

/** A server, and the first request of a client that reads nothing by itself. */
async function requested() {
  const connections = new Connections({ maxAdmitted: 8, maxWaiting: 8, onCrowded: () => {} });
  const server = createServer();
  server.on('connection', (socket: Socket) => connections.add(socket));
  const port = await listen(server);
  onTestFinished(() => endServer(server, connections));
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { connections, server, port, client, response };
}

test.each([
  [
    'a request without a host is served, so that it gets the same answer as one with a wrong host',
    'X: y',
    200,
  ],
  ['a line that ends otherwise than HTTP says is not read', 'X: y\nZ: z', 400],
  ['headers of more than 16 kB are not read', `X: ${'x'.repeat(16_384)}`, 431],
])('%s', async (_, line, status) => {
  const server = createServer(httpOptions, (_request, response) => response.end());
  const port = await listen(server);
  onTestFinished(() => void server.close());
  const client = connect(port, '127.0.0.1');
  client.write(`GET / HTTP/1.1\r\n${line}\r\nConnection: close\r\n\r\n`);
  const [answer] = await once(client, 'data');
  client.destroy();
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

const large = Buffer.alloc(64 * 1024 * 1024);

test('a server listens on loopback only, at a free port or at the given one, which it does not share', async () => {
  const { server, port, connections } = await requested();
  expect(portOf(server)).toBe(port);
  expect(server.address()).toMatchObject({ address: '127.0.0.1', port });
  await expect(listen(createServer(), port)).rejects.toThrow('EADDRINUSE');
  await endServer(server, connections);
  const again = createServer();
  onTestFinished(() => void again.close());
  expect(await listen(again, port)).toBe(port);
});

test('the end of a server ends its connections too', async () => {
  const { server, client, connections } = await requested();
  await endServer(server, connections);
  expect(server.listening).toBe(false);
  client.resume();
  await eventually(() => client.closed).toBe(true);
});

test('a part that is taken at once does not wait, and one that is not waits until it is read', async () => {
  const { client, response } = await requested();
  expect(await writePart(response, 'small', 0)).toBe(true);
  const written = writePart(response, large, 60_000);
  client.resume();
  expect(await written).toBe(true);
  expect(response.listenerCount('drain')).toBe(0);
});

test('a reader that is too slow and one that has gone have different results', async () => {
  const { client, response } = await requested();
  expect(await writePart(response, large, 1)).toBe(false);
  const written = writePart(response, large, 60_000);
  client.destroy();
  expect(await written).toBe(true);
  await eventually(() => response.destroyed).toBe(true);
  expect(await writePart(response, 'more', 0)).toBe(true);
});

function open(count: number, connections: Connections): readonly Socket[] {
  const sockets = Array.from({ length: count }, () => new Socket());
  for (const socket of sockets) connections.add(socket);
  return sockets;
}

/** A server with room for two connections with the token, and for two without it. */
function limited() {
  let crowded = 0;
  const connections = new Connections({ maxAdmitted: 2, maxWaiting: 2, onCrowded: () => crowded++ });
  return { connections, crowded: () => crowded };
}

const destroyed = (sockets: readonly Socket[]) => sockets.map((socket) => socket.destroyed);

test('the oldest connection without the token is closed for one more', () => {
  const { connections, crowded } = limited();
  const sockets = open(2, connections);
  expect(destroyed(sockets)).toEqual([false, false]);
  expect(crowded()).toBe(0);
  const more = open(2, connections);
  expect(destroyed([...sockets, ...more])).toEqual([true, true, false, false]);
  expect(crowded()).toBe(2);
});

test('a connection with the token is not closed for others, and stays', () => {
  const { connections } = limited();
  const [first, second] = open(2, connections) as [Socket, Socket];
  expect([first, second, first].map((socket) => connections.admit(socket))).toEqual([true, true, true]);
  const waiting = open(2, connections);
  expect(waiting.map((socket) => connections.admit(socket))).toEqual([false, false]);
  expect(destroyed([first, second, ...waiting])).toEqual([false, false, false, false]);
});

test('a connection that has ended makes room, with the token and without it', async () => {
  const { connections, crowded } = limited();
  const [first, second] = open(2, connections) as [Socket, Socket];
  connections.admit(first);
  connections.admit(second);
  const [third, fourth] = open(2, connections) as [Socket, Socket];
  expect(connections.admit(third)).toBe(false);
  const closed = [first, fourth].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  first.destroy();
  fourth.destroy();
  await Promise.all(closed);
  expect(connections.admit(third)).toBe(true);
  open(2, connections);
  expect(crowded()).toBe(0);
});

test('one request of a connection at a time is served', () => {
  const { connections } = limited();
  const [socket, other] = open(2, connections) as [Socket, Socket];
  // The connections hear only of its end.
  const response = new EventEmitter() as unknown as ServerResponse;
  expect(connections.begin(socket, response)).toBe(true);
  expect(connections.begin(socket, response)).toBe(false);
  expect(connections.begin(other, response)).toBe(true);
  response.emit('close');
  expect(connections.begin(socket, response)).toBe(true);
});

test('the end of the server ends every connection', () => {
  const { connections } = limited();
  const sockets = open(3, connections);
  connections.admit(sockets[1] as Socket);
  connections.close();
  expect(destroyed(sockets)).toEqual([true, true, true]);
});
