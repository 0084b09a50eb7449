import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { endIfSilent } from '../../../../src/core/transport/http/open-web-socket.ts';
import { eventually } from '../../../support/eventually.ts';
import { openChannel } from '../../../support/raw-acp-connection.ts';
import { rawServer } from '../../../support/raw-acp-server.ts';
import { socketServer } from '../../../support/web-socket-server.ts';

test('a stream that brings nothing for idleTimeoutMs ends the connection', async () => {
  const server = await rawServer();
  const { transport } = await openChannel(server.url, { idleTimeoutMs: 80 });
  const { error } = await transport.ended;
  expect(error?.message).toContain('The stream brought nothing for 80 ms.');
  await eventually(() => server.bodies()).toBe(0);
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

describe('a WebSocket to a server that may be gone', () => {
  const limitMs = 300;

  /** Both ends of a socket. Its interval passes when the test says so. */
  async function open() {
    const { url, accepted } = await socketServer();
    const socket = new WebSocket(url);
    await once(socket, 'open');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    endIfSilent(socket, limitMs);
    return { socket, server: await accepted };
  }

  test('ends when the server has not been heard for the time limit', async () => {
    const { socket, server } = await open();
    const closed = once(socket, 'close');
    // It does not see that it is asked.
    server.pause();
    vi.advanceTimersByTime(limitMs);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    vi.advanceTimersByTime(limitMs / 3);
    expect((await closed)[0]).toBe(1006);
  });

  test('stays open while the server answers and while the client itself does not read, and leaves no timer', async () => {
    const { socket, server } = await open();
    for (let asked = 0; asked < 6; asked++) {
      const answer = once(socket, 'pong');
      vi.advanceTimersByTime(limitMs / 3);
      await answer;
    }
    server.pause();
    socket.pause();
    vi.advanceTimersByTime(3 * limitMs);
    expect([socket.readyState, vi.getTimerCount()]).toEqual([WebSocket.OPEN, 1]);
    const closed = once(socket, 'close');
    socket.terminate();
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a socket that cannot ping is left alone', () => {
    expect(() => endIfSilent({ readyState: 1 } as never, 10)).not.toThrow();
  });
});

describe('the DELETE that ends the agent', () => {
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
