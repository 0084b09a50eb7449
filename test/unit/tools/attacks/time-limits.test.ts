import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import {
  addressOf,
  echoCall,
  ended,
  expectRefused,
  lineFrom,
  openSocket,
  portOf,
  request,
  type ToolTarget,
  toolTarget,
} from '../../../support/tool-target.ts';

// slow.long.test.ts waits for the same limits in real time. These tests prove how long they are.

/** More than the system keeps for a connection. */
const large = { description: 'Large.', run: () => 'a'.repeat(12 * 1024 * 1024) };

function simulateTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const refusals = ({ diagnostics }: ToolTarget) =>
  diagnostics.filter(({ rule }) => rule === 'tools.refused').map(({ message }) => message);

/** Lets what is under way on this machine arrive. */
async function turns(): Promise<void> {
  for (let count = 0; count < 100; count++) await turn();
}

/** Not with `expect.poll`, which lets simulated time pass. The time limit of the test ends the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe.skipIf(process.platform === 'win32')('[security: tools-slow] the time of a program', () => {
  test('[reliability: limit-tool-token] that sends no token is 10 seconds', async () => {
    const target = await toolTarget('stdio');
    simulateTime();
    const socket = await openSocket({ path: addressOf(target.server) });
    const end = ended(socket);
    socket.write(target.token.slice(0, 10));
    await until(() => vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(9_999);
    await turns();
    expect(refusals(target)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toBe('');
    vi.useRealTimers();
    await expectRefused(target);
  });

  test('does not end with a token that has arrived, and waits to be read', async () => {
    const target = await toolTarget('stdio');
    simulateTime();
    const socket = await openSocket({ path: addressOf(target.server) });
    await turns();
    await until(() => vi.getTimerCount() === 1);
    socket.write(`${target.token}\n${JSON.stringify(echoCall('late', {}))}\n`);
    // As if the editor had been busy since then.
    vi.advanceTimersByTime(10_000);
    expect(await lineFrom(socket)).toContain('"text":"ran"');
    expect(refusals(target)).toEqual([]);
    socket.destroy();
  });

  test('[reliability: limit-tool-readers] that does not read its answer over HTTP is 30 seconds', async () => {
    const target = await toolTarget('http', { large });
    const body = JSON.stringify(request('tools/call', 1, { name: 'large' }));
    const socket = await openSocket({ port: portOf(target.server) });
    socket.pause();
    simulateTime();
    const write = vi.spyOn(ServerResponse.prototype, 'write');
    onTestFinished(() => write.mockRestore());
    const lines = [
      'POST /mcp HTTP/1.1',
      `Host: 127.0.0.1:${portOf(target.server)}`,
      `Authorization: Bearer ${target.token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      'Mcp-Protocol-Version: 2026-07-28',
      'Mcp-Method: tools/call',
      'Mcp-Name: large',
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    // Each part that is written sets a timer. When no part is written any more, the system keeps no more of the answer.
    for (let before = -1; before !== write.mock.calls.length || vi.getTimerCount() === 0; ) {
      before = write.mock.calls.length;
      await turns();
    }
    await vi.advanceTimersByTimeAsync(29_999);
    await turns();
    expect(refusals(target)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await eventually(() => refusals(target).join()).toContain('not read for 30 seconds');
  });

  test('[reliability: limit-tool-readers] that does not read its answer over the socket is 30 seconds', async () => {
    // The timer of a socket is one of Node itself, whose time cannot be simulated.
    const setTimeoutOf = vi.spyOn(Socket.prototype, 'setTimeout');
    onTestFinished(() => setTimeoutOf.mockRestore());
    const target = await toolTarget('stdio', { large });
    const socket = await openSocket({ path: addressOf(target.server) });
    socket.pause();
    socket.write(`${target.token}\n${JSON.stringify(request('tools/call', 1, { name: 'large' }))}\n`);
    await eventually(() => setTimeoutOf.mock.calls.map(([ms]) => ms)).toContain(30_000);
    expect(refusals(target)).toEqual([]);
    const full = setTimeoutOf.mock.calls.findIndex(([ms]) => ms !== 0);
    const served = setTimeoutOf.mock.contexts[full];
    if (!(served instanceof Socket)) throw new Error('No socket has a time limit.');
    served.emit('timeout');
    await eventually(() => refusals(target).join()).toContain('did not read its answers for 30 seconds');
    socket.resume();
    await ended(socket);
  });
});
