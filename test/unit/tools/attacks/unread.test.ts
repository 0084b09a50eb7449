import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Diagnostic } from '../../../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { Tool } from '../../../../src/entries/tools.ts';
import { httpOptions } from '../../../../src/node/loopback/http-server.ts';
import { openHttp } from '../../../../src/tools/http.ts';
import { loadMcp } from '../../../../src/tools/packages.ts';
import { resultOf } from '../../../../src/tools/result.ts';
import { maxUnreadResultBytes, unreadReason, unreadResults } from '../../../../src/tools/unread-results.ts';
import { settle } from '../../../support/agents.ts';
import { eventually } from '../../../support/eventually.ts';
import { transports } from '../../../support/open-tools.ts';
import { stopClock } from '../../../support/timed-acp-server.ts';
import { addressOf, portOf } from '../../../support/tool-client.ts';
import {
  echoCall,
  ended,
  expectRefused,
  httpText,
  lineFrom,
  openSocket,
  request,
  type ToolTarget,
  toolTarget,
} from '../../../support/tool-target.ts';
import { isDropped, unreadTarget } from '../../../support/unread-agent.ts';

const mib = 1024 * 1024;

/** More than the system keeps for a program that does not read. */
const resultBytes = { acp: mib / 16, http: 5 * mib, stdio: mib };

// Named pipes of Windows take another amount before they count as full.
describe.skipIf(process.platform === 'win32')('what an agent does not read', () => {
  test.each(transports)(
    '[security: tools-slow] of the results over %s is not kept above a limit, and its call gets an error',
    async (transport) => {
      const returning: (() => void)[] = [];
      const big: Tool = {
        description: 'Returns much, when the test says so.',
        run: () =>
          new Promise((resolve) => returning.push(() => resolve('x'.repeat(resultBytes[transport])))),
      };
      const small: Tool = { description: 'Returns little.', run: () => 'ran' };
      const maxBytes = 1.5 * resultBytes[transport];
      const { agent, diagnostics } = await unreadTarget({ big, small }, transport, maxBytes);
      const callBig = async (count: number) => {
        for (let made = 0; made < count; made++) agent.call('big');
        await eventually(() => returning.length).toBe(count);
        for (const end of returning.splice(0)) end();
      };
      await callBig(2);
      const dropped = () => diagnostics.filter(({ rule }) => rule === 'tools.refused');
      await eventually(() => dropped().length).toBe(1);
      expect(dropped()[0]?.message).toBe(
        `The agent does not read the answers of the server editor, and the result of big was dropped. ${unreadReason(maxBytes)}`,
      );
      // What is kept takes its room until it is read.
      await callBig(1);
      await eventually(() => dropped().length).toBe(2);
      const answers = await agent.read();
      expect(answers.filter(isDropped).map(({ result }) => result)).toEqual(
        Array.from({ length: 2 }, () => expect.objectContaining({ isError: true })),
      );
      expect(answers).toHaveLength(3);
      // What was read gives its room back.
      await callBig(1);
      expect((await agent.read()).filter(isDropped)).toEqual([]);
      agent.call('small');
      expect(JSON.stringify(await agent.read())).toContain('"text":"ran"');
    },
  );
});

describe('the room for results', () => {
  test('[reliability: limit-unread-results] is 32 MiB for all that are unread together', () => {
    expect(unreadReason()).toContain('More than 32 MiB');
    const results = unreadResults();
    const [one, two, three] = [results.room(), results.room(), results.room()];
    expect(one.take(maxUnreadResultBytes - 10)).toBe(true);
    expect(two.take(11)).toBe(false);
    expect(two.take(4)).toBe(true);
    expect(two.take(6)).toBe(true);
    expect(three.take(1)).toBe(false);
    two.release();
    two.release();
    expect(three.take(11)).toBe(false);
    expect(three.take(10)).toBe(true);
  });

  test('is there for one of any size, in any number of parts', () => {
    const results = unreadResults(100);
    const room = results.room();
    expect(room.take(200)).toBe(true);
    expect(room.take(1)).toBe(true);
    expect(results.room().take(1)).toBe(false);
  });

  test('counts bytes, and structured content twice where it is the text as well', () => {
    const bytesOf = (returned: unknown) => {
      let bytes = 0;
      const take = (more: number) => {
        bytes += more;
        return true;
      };
      expect(resultOf(returned, { take, release() {} })).toHaveProperty('content');
      return bytes;
    };
    expect(bytesOf('\u00e9')).toBe(4);
    expect(bytesOf({ structuredContent: { a: 1 } })).toBe('{"structuredContent":{"a":1}}{"a":1}'.length);
    expect(bytesOf({ structuredContent: { a: 1 }, content: [] })).toBe(
      '{"structuredContent":{"a":1},"content":[]}'.length,
    );
  });

  test('decides before the text for structured content is added', () => {
    const results = unreadResults(1000);
    results.room().take(100);
    const structuredContent = { a: 'x'.repeat(500) };
    const first = results.room();
    expect(resultOf({ structuredContent }, first)).toEqual({ unread: true });
    first.release();
    expect(resultOf({ structuredContent, content: [] }, results.room())).toHaveProperty('content');
  });
});

/** More than the system keeps for a connection. */
const large = { description: 'Large.', run: () => 'a'.repeat(12 * 1024 * 1024) };
const callLarge = request('tools/call', 1, { name: 'large' });

const refusals = ({ diagnostics }: ToolTarget) =>
  diagnostics.filter(({ rule }) => rule === 'tools.refused').map(({ message }) => message);

/** Not with `expect.poll`, which lets simulated time pass. The time limit of the test ends the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** A server over HTTP with short limits for what a program sends. */
async function impatientServer() {
  const reasons: string[] = [];
  const host = { report: ({ message }: Diagnostic) => reasons.push(message) };
  const { description, close } = await openHttp(
    // What a server uses before it has a request.
    {
      name: 'editor',
      packages: await loadMcp(),
      create: () => () => new Promise<never>(() => {}),
      host: host as never,
    },
    { ...httpOptions, headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 },
  );
  onTestFinished(close);
  return { server: description as JsonObject, reasons };
}

describe('[security: tools-slow] a program over HTTP', () => {
  test('has 10 seconds for the headers of a request, and 30 for all of it', () => {
    expect(httpOptions).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
  });

  test.each([
    ['headers', 'POST /mcp HTTP/1.1\r\nX: ', { 'X-Unused': '' }],
    ['body', undefined, { 'Content-Length': '100000' }],
    ['last chunk', undefined, { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }],
  ])('that sends its %s too slowly loses the connection', async (_, start, headers) => {
    const { server, reasons } = await impatientServer();
    const socket = await openSocket({ port: portOf(server) });
    socket.write(start ?? httpText(server, echoCall(), { headers, body: '1\r\na\r\n' }));
    expect(await ended(socket)).toMatch(/^(HTTP\/1.1 408 |$)/);
    expect(reasons.join()).toContain('It is not readable: ERR_HTTP_REQUEST_TIMEOUT.');
  });
});

describe.skipIf(process.platform === 'win32')('[security: tools-slow] the time of a program', () => {
  test('[reliability: limit-tool-token] that sends no token is 10 seconds', async () => {
    const target = await toolTarget('stdio');
    stopClock();
    const socket = await openSocket({ path: addressOf(target.server) });
    const end = ended(socket);
    socket.write(target.token.slice(0, 10));
    await until(() => vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(9_999);
    await settle();
    expect(refusals(target)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await end).toBe('');
    vi.useRealTimers();
    await expectRefused(target);
  });

  test('does not end with a token that has arrived, and waits to be read', async () => {
    const target = await toolTarget('stdio');
    stopClock();
    const socket = await openSocket({ path: addressOf(target.server) });
    await settle();
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
    const socket = await openSocket({ port: portOf(target.server) });
    socket.pause();
    stopClock();
    const write = vi.spyOn(ServerResponse.prototype, 'write');
    onTestFinished(() => write.mockRestore());
    socket.write(httpText(target.server, callLarge));
    // Each part that is written sets a timer. When no part is written any more, the system keeps no more of the answer.
    for (let before = -1; before !== write.mock.calls.length || vi.getTimerCount() === 0; ) {
      before = write.mock.calls.length;
      await settle();
    }
    await vi.advanceTimersByTimeAsync(29_999);
    await settle();
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
    socket.write(`${target.token}\n${JSON.stringify(callLarge)}\n`);
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
