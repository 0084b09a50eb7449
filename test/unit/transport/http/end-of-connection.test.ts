import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { endIfSilent } from '../../../../src/transport/http/heartbeat.ts';
import { eventually } from '../../../support/eventually.ts';
import { openChannel } from '../../../support/raw-acp-connection.ts';
import { rawServer } from '../../../support/raw-acp-server.ts';
import { letTimePass } from '../../../support/time.ts';

const note = 'data: {"jsonrpc":"2.0","method":"_test/note"}\n\n';

describe('a stream that brings nothing for idleTimeoutMs', () => {
  test('ends the connection', async () => {
    const server = await rawServer();
    const { transport } = await openChannel(server.url, { idleTimeoutMs: 80 });
    const { error } = await transport.ended;
    expect(error?.message).toContain('The stream brought nothing for 80 ms.');
    await eventually(() => server.bodies()).toBe(0);
  });

  test('does not count while it brings something, be it a part of an event or a comment', async () => {
    const server = await rawServer();
    const { transport, received } = await openChannel(server.url, { idleTimeoutMs: 800 });
    const parts = [':', ' alive\n', ...note];
    for (const part of parts) {
      await server.write(part);
      await letTimePass(40);
    }
    // More than twice the limit.
    await eventually(() => received.length).toBe(2);
    await transport.close();
    expect(await transport.ended).toEqual({});
  });

  test('does not count while the client is paused and has no room', async () => {
    const server = await rawServer();
    const { transport, received } = await openChannel(server.url, { idleTimeoutMs: 80 });
    await eventually(() => received.length).toBe(1);
    transport.pause?.();
    const count = 200_000;
    await server.write(note.repeat(count));
    await letTimePass(400);
    transport.resume?.();
    await eventually(() => received.length).toBe(count + 1);
  });
});

test('a connection that is closed while it is paused and has no room leaves no stream', async () => {
  const server = await rawServer();
  const { transport, received } = await openChannel(server.url);
  await eventually(() => received.length).toBe(1);
  transport.pause?.();
  await server.write(note.repeat(200_000));
  await transport.close();
  await eventually(() => server.bodies()).toBe(0);
  await eventually(() => server.requests.at(-1)?.kind).toBe('DELETE');
});

test('the client repeats the end of a connection until the server answers, and a status 502 of a proxy is no answer', async () => {
  let refusals = 3;
  const server = await rawServer({
    answer: ({ kind }, response) => {
      if (kind !== 'DELETE' || refusals-- <= 0) return false;
      // The network, then a proxy, then the network again.
      if (refusals === 1) response.writeHead(502).end();
      else response.destroy();
      return true;
    },
  });
  const { transport } = await openChannel(server.url);
  const { signal } = new AbortController();
  await transport.close();
  expect(server.count('DELETE')).toBe(1);
  await expect(transport.confirmEnd?.(signal)).rejects.toMatchObject({ status: 502 });
  await expect(transport.confirmEnd?.(signal)).rejects.toMatchObject({ code: 'connection.closed' });
  await transport.confirmEnd?.(signal);
  expect(server.count('DELETE')).toBe(4);
  // The server knows it now.
  await transport.confirmEnd?.(signal);
  expect(server.count('DELETE')).toBe(4);
});

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
    endIfSilent(socket, 200);
    let pings = 0;
    for (const client of webSockets.clients) client.on('ping', () => pings++);
    await eventually(() => pings).toBeGreaterThan(3);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.pause();
    silence();
    await letTimePass(600);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  test('it leaves no timer when it has ended', async () => {
    const { socket } = await serve();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    endIfSilent(socket, 1000);
    expect(vi.getTimerCount()).toBe(1);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.terminate();
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a socket that cannot ping is left alone', () => {
    expect(() => endIfSilent({ readyState: 1 } as never, 10)).not.toThrow();
  });
});

describe('the DELETE that ends the agent', () => {
  test('is sent once at the end of the connection', async () => {
    const server = await rawServer();
    const { transport } = await openChannel(server.url);
    await transport.close();
    await transport.close();
    expect(server.count('DELETE')).toBe(1);
    expect(server.requests.at(-1)?.headers['acp-connection-id']).toBe('c1');
  });

  test('is sent when the stream of the connection broke, so that the agent does not work on beside the next one', async () => {
    const server = await rawServer();
    const { transport } = await openChannel(server.url);
    await server.came('GET');
    await server.write(': hello\n\n');
    server.stream()?.destroy();
    expect((await transport.ended).error).toBeDefined();
    await server.came('DELETE');
    await transport.close();
    expect(server.count('DELETE')).toBe(1);
  });

  // A proxy can refuse what the server would take.
  test.each([401, 403, 404, 410])('is sent when a message is refused with status %i', async (status) => {
    const server = await rawServer({
      answer: ({ kind }, response) => kind === 'POST _test/ping' && response.writeHead(status).end(),
    });
    const { transport } = await openChannel(server.url);
    await transport.send({ jsonrpc: '2.0', id: 1, method: '_test/ping' });
    expect((await transport.ended).error).toMatchObject({ status });
    await server.came('DELETE');
    await transport.close();
    expect(server.count('DELETE')).toBe(1);
  });
});
