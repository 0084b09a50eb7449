import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Connections } from '../../../src/loopback/connections.ts';

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
