import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { PanelChannel } from '../../../../../src/panel/channel.ts';
import { maxUnreadBytes, PanelChannels } from '../../../../../src/programs/inspector/server/channels.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  type OpenedInspector,
  openInspector,
  request,
  send,
  statusOf,
} from '../../../../support/inspector-target.ts';
import { callOfPage, firstMessage, runIn } from '../../../../support/raw-page.ts';

const headers = ['X-Panel-Page: p1'];

/** Opens the stream of the page, and collects what comes. */
async function openStream(opened: OpenedInspector) {
  const socket = connectSocket(opened.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const stream = { received: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    stream.received += String(chunk);
  });
  socket.on('close', () => {
    stream.isClosed = true;
  });
  await once(socket, 'connect');
  socket.write(request(opened, { path: '/panel', headers }));
  await eventually(() => stream.received).toContain('HTTP/1.1 200');
  return stream;
}

test('a page that opens its stream again before the first one has ended is heard', async () => {
  const opened = await openInspector();
  const first = await openStream(opened);
  const second = await openStream(opened);
  await eventually(() => first.isClosed).toBe(true);
  const post = (message: object) =>
    send(opened, { method: 'POST', path: '/panel', headers, body: JSON.stringify(message) });
  expect(statusOf(await post(firstMessage))).toBe(200);
  await eventually(() => runIn(second.received)).not.toBe('');
  expect(statusOf(await post(callOfPage(second.received, 1, 'none', {})))).toBe(200);
  await eventually(() => second.received).toContain('does not have the action');
});

test('[reliability: limit-unread-page] a page that reads nothing is cut off above a limit', async () => {
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
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const attached: PanelChannel[] = [];
  new PanelChannels((channel) => attached.push(channel), 1).open('p1', response);
  let messages = 0;
  // Nothing is written to the network before the event loop runs.
  while (response.writableLength <= maxUnreadBytes && messages < 1000) {
    expect(response.destroyed).toBe(false);
    attached[0]?.post('x'.repeat(64 * 1024));
    messages++;
  }
  expect(messages).toBe(maxUnreadBytes / (64 * 1024));
  expect(response.destroyed).toBe(true);
});
