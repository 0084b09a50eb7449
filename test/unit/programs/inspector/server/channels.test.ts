import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../../src/node/loopback/http-server.ts';
import { maxUnreadBytes, PanelChannels } from '../../../../../src/programs/inspector/server/channels.ts';
import type { PanelChannel } from '../../../../../src/ui/panel/channel.ts';
import { eventually } from '../../../../support/eventually.ts';
import { openInspector, openPanelPage, openStream } from '../../../../support/inspector-target.ts';

test('a page that opens its stream again before the first one has ended is heard', async () => {
  const opened = await openInspector();
  const first = await openStream(opened, { path: '/panel', headers: ['X-Panel-Page: p1'] });
  const { received, post, call } = await openPanelPage(opened);
  await eventually(() => first.socket.closed).toBe(true);
  expect(await post(call(1, 'none'))).toBe(200);
  await eventually(received).toContain('does not have the action');
});

/** The response to a program that reads nothing by itself, and the program. */
async function unreadResponse() {
  const server = createServer();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect(await listen(server), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  // What Node says of the event.
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { socket, response };
}

/** Channels with room for one page, and what was attached. */
function channelsOfOne() {
  const attached: PanelChannel[] = [];
  return { channels: new PanelChannels((channel) => attached.push(channel), 1), attached };
}

test('a page is heard while it has its stream, by the listener that came last', async () => {
  const { channels, attached } = channelsOfOne();
  const { socket, response } = await unreadResponse();
  expect(channels.receive('p1', ['1'])).toBe(false);
  channels.open('p1', response);
  expect([channels.hasRoomFor('p1'), channels.hasRoomFor('p2')]).toEqual([true, false]);
  const received: unknown[] = [];
  const stop = attached[0]?.listen((message) => received.push(message));
  expect(channels.receive('p1', ['2', '3'])).toBe(true);
  const later: unknown[] = [];
  const stopLater = attached[0]?.listen((message) => later.push(message));
  // It is not the listener any more.
  stop?.();
  channels.receive('p1', ['4']);
  stopLater?.();
  channels.receive('p1', ['5']);
  expect([received, later]).toEqual([['2', '3'], ['4']]);
  socket.destroy();
  await attached[0]?.ended;
  expect([channels.receive('p1', ['6']), channels.hasRoomFor('p2')]).toEqual([false, true]);
});

test('an idle stream has an empty line every 15 seconds, until it ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { channels, attached } = channelsOfOne();
  const { socket, response } = await unreadResponse();
  channels.open('p1', response);
  attached[0]?.post({ text: 'x' });
  vi.advanceTimersByTime(30_000);
  socket.setEncoding('utf8').resume();
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  await eventually(() => received).toMatch(/\r\n\r\n[\s\S]*\n1\r\n\n\r\n1\r\n\n\r\n$/);
  expect(received).toContain('{"text":"x"}\n');
  socket.destroy();
  await attached[0]?.ended;
  expect(vi.getTimerCount()).toBe(0);
});

test('[reliability: limit-unread-page] a page that reads nothing is cut off above a limit', async () => {
  const { response } = await unreadResponse();
  const { channels, attached } = channelsOfOne();
  channels.open('p1', response);
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
