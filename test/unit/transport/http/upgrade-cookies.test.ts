import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { connect } from '../../../../src/client/connect.ts';
import { remoteTransport } from '../../../../src/client/remote.ts';
import { memoryCookies } from '../../../../src/transport/http/cookies.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerTo, initializeResult, rawServer } from '../../../support/raw-acp-server.ts';

/** A server behind a load balancer, which sets a cookie with its answer to an upgrade. */
async function balancedServer(isRefused: (request: IncomingMessage) => boolean) {
  const cookies: (string | undefined)[] = [];
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    cookies.push(request.headers.cookie);
    if (isRefused(request)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nSet-Cookie: route=node7; Path=/\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.once('headers', (headers) => headers.push('Set-Cookie: route=node7; Path=/'));
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('message', (text) => {
        const message = JSON.parse(String(text));
        if (message.method === 'initialize') opened.send(JSON.stringify(answerTo(message, initializeResult)));
      });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    for (const opened of sockets.clients) opened.terminate();
    http.close();
  });
  // It is made by `listen`, for a port of TCP.
  return { url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/acp`, cookies };
}

const settings = { clientInfo: { name: 'test', version: '0.0.0' }, onDiagnostic: () => {} };

test('a cookie that comes with the upgrade to a WebSocket is sent with the next one', async () => {
  const { url, cookies: sent } = await balancedServer(() => false);
  const cookies = memoryCookies();
  for (let time = 0; time < 2; time++) {
    const connection = await connect(() => remoteTransport(url, { cookies }), settings);
    await connection.close();
    // The socket is open before the store has the cookie.
    await eventually(() => cookies.getCookieString(url)).toBe('route=node7');
  }
  expect(sent).toEqual([undefined, 'route=node7']);
});

test('a cookie that comes with the refusal of an upgrade is sent when the upgrade is tried again', async () => {
  const { url, cookies: sent } = await balancedServer(
    ({ headers }) => headers.authorization !== 'Bearer new-0123456789',
  );
  const tokens = ['old', 'new'];
  const headers = () => ({ authorization: `Bearer ${tokens.shift()}-0123456789` });
  const connection = await connect(() => remoteTransport(url, { headers }), settings);
  await connection.close();
  expect(sent).toEqual([undefined, 'route=node7']);
});

test('a cookie that comes with the refusal of an upgrade is sent with each message of streamable HTTP', async () => {
  const server = await rawServer({
    answer: ({ headers }, response) =>
      headers.upgrade === undefined
        ? false
        : response.writeHead(426, { 'set-cookie': 'route=node7; Path=/' }).end(),
  });
  const connection = await connect(() => remoteTransport(server.url), settings);
  await connection.close();
  const [upgrade, ...others] = server.requests.map(({ headers }) => headers.cookie);
  expect(upgrade).toBeUndefined();
  expect(others.length).toBeGreaterThan(0);
  expect(new Set(others)).toEqual(new Set(['route=node7']));
});
