import { once } from 'node:events';
import { memoryUsage } from 'node:process';
import { expect, test } from 'vitest';
import { maxUnreadBytes } from '../../../../../src/programs/inspector/server/channels.ts';
import { slowPageLimitMs } from '../../../../../src/programs/inspector/server/feed.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  cwd,
  dial,
  type OpenedInspector,
  openInspector,
  openPanelPage,
  openStream,
  request,
  send,
  statusOf,
} from '../../../../support/inspector-target.ts';
import { firstMessage } from '../../../../support/raw-page.ts';

const megabytesInUse = () => {
  const { heapUsed, external } = memoryUsage();
  return (heapUsed + external) / 1e6;
};

/** Has the agent send so many messages of 100,000 characters, and waits until all were read. */
async function flood(opened: OpenedInspector, count: number): Promise<void> {
  const session = opened.panel.session ?? (await opened.panel.connection?.newSession({ cwd }));
  const text = 'x'.repeat(100_000);
  for (let sent = 0; sent < count; sent++) {
    const content = { type: 'text', text };
    opened.agent.update('s1', { sessionUpdate: 'agent_message_chunk', messageId: `m${sent}`, content });
  }
  await eventually(() => session?.conversation.entries.length).toBe(count);
}

/** A program that sends its headers letter by letter. */
async function slowHeaders(opened: OpenedInspector): Promise<void> {
  const { socket, received } = dial(opened, `GET /items?from=0 HTTP/1.1\r\nHost: ${opened.host}\r\nX: `);
  const timer = setInterval(() => socket.write('a'), 200);
  await once(socket, 'close');
  clearInterval(timer);
  expect(statusOf(received())).toBe(408);
}

/** A program with the token that sends a body letter by letter. */
async function slowBody(opened: OpenedInspector, path: string): Promise<void> {
  const headers = ['Content-Length: 100000', 'Connection: keep-alive', 'X-Panel-Page: p1'];
  const { socket } = dial(opened, request(opened, { method: 'POST', path, headers, body: '{' }));
  const timer = setInterval(() => socket.write(' '), 200);
  await once(socket, 'close');
  clearInterval(timer);
}

/** A page that stops to read the timeline. */
async function slowReader(opened: OpenedInspector): Promise<void> {
  const { socket, received } = await openStream(opened, { path: '/items?from=0' });
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, slowPageLimitMs + 5000));
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  expect(received().length).toBeLessThan(40_000_000);
  await openStream(opened, { path: '/items?from=0' });
}

test('[security: inspector] [reliability: limit-unread-timeline] programs that are slow are cut off, also with the token', async () => {
  const opened = await openInspector();
  await flood(opened, 400);
  const calls = opened.agent.received.length;
  const slow = ['/call', '/panel'].map((path) => slowBody(opened, path));
  await Promise.all([slowHeaders(opened), ...slow, slowReader(opened)]);
  expect(opened.agent.received).toHaveLength(calls);
  expect(statusOf(await send(opened, {}))).toBe(200);
});

test('[reliability: limit-unread-timeline] pages that read no timeline take little memory', async () => {
  const opened = await openInspector();
  const streams = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { socket } = await openStream(opened, { path: '/items?from=0' });
      return socket.pause();
    }),
  );
  const before = megabytesInUse();
  await flood(opened, 300);
  // The timeline has the text twice: as a message, and as what it changed. A queue for each page would be 1,200 MB.
  expect(megabytesInUse() - before).toBeLessThan(300);
  for (const socket of streams) socket.destroy();
});

test('[security: inspector] a page that reads no message of the panel costs one change, and one that asks for all is cut off', async () => {
  const opened = await openInspector();
  const { socket, received, post, call } = await openPanelPage(opened);
  await post(call(1, 'newSession'));
  await eventually(() => opened.panel.session?.sessionId).toBe('s1');
  const before = received().length;
  await flood(opened, Math.ceil((4 * maxUnreadBytes) / 100_000));
  // The page acknowledges nothing, so nothing more is sent than what changed first.
  expect(received().length - before).toBeLessThan(1_000_000);
  socket.pause();
  const closed = once(socket, 'close');
  await post(firstMessage);
  socket.resume();
  await closed;
  expect(statusOf(await send(opened, {}))).toBe(200);
});
