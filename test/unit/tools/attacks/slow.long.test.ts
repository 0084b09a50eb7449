import { memoryUsage } from 'node:process';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import {
  addressOf,
  ended,
  expectRefused,
  openSocket,
  portOf,
  request,
  type ToolTarget,
  toolTarget,
} from '../../../support/tool-target.ts';

/** 64 answers of it are 768 MiB, which would be seen in the memory. */
const size = 12 * 1024 * 1024;

const large = { description: 'Large.', run: () => 'a'.repeat(size) };

/** A program that sends its headers letter by letter. */
async function slowHeaders(): Promise<void> {
  const target = await toolTarget('http');
  const socket = await openSocket({ port: portOf(target.server) });
  socket.write('POST /mcp HTTP/1.1\r\nX: ');
  const timer = setInterval(() => socket.write('a'), 200);
  const answer = await ended(socket);
  clearInterval(timer);
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  await expectRefused(target);
}

/** A program that sends the body of a request letter by letter. */
async function slowBody(): Promise<void> {
  const target = await toolTarget('http');
  const socket = await openSocket({ port: portOf(target.server) });
  socket.write(headersFor(target, 'Content-Length: 100000'));
  const timer = setInterval(() => socket.write('a'), 200);
  expect(await ended(socket)).toMatch(/^(HTTP\/1.1 408 |$)/);
  clearInterval(timer);
  await expectRefused(target);
}

/** A program that never ends the body of a request. */
async function endlessBody(): Promise<void> {
  const target = await toolTarget('http');
  const socket = await openSocket({ port: portOf(target.server) });
  socket.write(`${headersFor(target, 'Transfer-Encoding: chunked')}1\r\na\r\n`);
  expect(await ended(socket)).toMatch(/^(HTTP\/1.1 408 |$)/);
  await expectRefused(target);
}

/** A program that sends no token to the socket. */
async function noToken(): Promise<void> {
  const target = await toolTarget('stdio');
  const socket = await openSocket({ path: addressOf(target.server) });
  socket.write(target.token.slice(0, 10));
  expect(await ended(socket)).toBe('');
  await expectRefused(target);
}

/** A program that does not read its answer over HTTP. */
async function unreadHttp(): Promise<void> {
  const target = await toolTarget('http', { large });
  const body = JSON.stringify(request('tools/call', 1, { name: 'large' }));
  const socket = await openSocket({ port: portOf(target.server) });
  socket.pause();
  const name = 'Mcp-Method: tools/call\r\nMcp-Name: large\r\n';
  socket.write(`${headersFor(target, `${name}Content-Length: ${body.length}`)}${body}`);
  await expectRefusedLate(target);
}

/** A program that does not read its answers over the socket. */
async function unreadSocket(): Promise<void> {
  const target = await toolTarget('stdio', { large });
  const socket = await openSocket({ path: addressOf(target.server) });
  socket.pause();
  const before = memoryUsage().rss;
  socket.write(`${target.token}\n`);
  // One after another, so that those that are not read are kept.
  for (let id = 0; id < 200; id++) {
    socket.write(`${JSON.stringify(request('tools/call', id, { name: 'large' }))}\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024);
  await expectRefusedLate(target);
}

function headersFor({ server, token }: ToolTarget, more: string): string {
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${portOf(server)}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'Mcp-Protocol-Version: 2026-07-28',
    more,
    '',
    '',
  ];
  return lines.join('\r\n');
}

async function expectRefusedLate(target: ToolTarget): Promise<void> {
  const messages = () => target.diagnostics.map(({ message }) => message).join();
  await eventually(messages).toMatch(/not read .*30 seconds/);
  await expectRefused(target);
}

describe('[security: tools-slow] slow programs', () => {
  // They wait for the limits at the same time, for about a minute.
  test('[reliability: limit-tool-token,limit-tool-readers] lose the connection, and use little memory', async () => {
    await Promise.all([slowHeaders(), slowBody(), endlessBody(), noToken(), unreadHttp(), unreadSocket()]);
  });
});
