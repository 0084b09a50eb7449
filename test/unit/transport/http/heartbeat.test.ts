import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { endIfSilent } from '../../../../src/transport/http/heartbeat.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server whose sockets can be silenced: the connection stays, and nothing comes any more. */
async function serve() {
  const webSockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => webSockets.once('listening', resolve));
  const { port } = webSockets.address() as { port: number };
  const pairs: Socket[] = [];
  let isSilent = false;
  const proxy = createServer((client) => {
    const server = new (client.constructor as new () => Socket)();
    server.connect(port, '127.0.0.1');
    pairs.push(client, server);
    client.on('data', (chunk) => server.write(chunk)).on('error', () => {});
    server.on('data', (chunk) => isSilent || client.write(chunk)).on('error', () => {});
    client.on('close', () => server.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', () => resolve()));
  closers.push(() => {
    for (const socket of pairs) socket.destroy();
    proxy.close();
    webSockets.close();
  });
  const { port: proxyPort } = proxy.address() as { port: number };
  const socket = new WebSocket(`ws://127.0.0.1:${proxyPort}`);
  await new Promise((resolve) => socket.once('open', resolve));
  return { socket, webSockets, silence: () => (isSilent = true) };
}

describe('a WebSocket to a server that may be gone', () => {
  test('it ends when the server has not been heard for the time limit', async () => {
    const { socket, silence } = await serve();
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    endIfSilent(socket, 150);
    silence();
    expect(await closed).toBe(1006);
  });

  test('it stays open while the server answers, and while the client itself does not read', async () => {
    const { socket, webSockets, silence } = await serve();
    endIfSilent(socket, 60);
    let pings = 0;
    for (const client of webSockets.clients) client.on('ping', () => pings++);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(pings).toBeGreaterThan(3);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.pause();
    silence();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  test('a socket that cannot ping is left alone', () => {
    expect(() => endIfSilent({ readyState: 1 } as never, 10)).not.toThrow();
  });
});
