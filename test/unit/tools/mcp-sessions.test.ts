import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import type { Tool, ToolResult } from '../../../src/entries/tools.ts';
import { maxMcpSessions } from '../../../src/tools/http.ts';
import { eventually } from '../../support/eventually.ts';
import { openServer, ownSchema, type ServerOptions } from '../../support/open-tools.ts';
import { post, request, sessionHeaders } from '../../support/tool-target.ts';

const tool = { description: 'x', run: () => 'ran' };
const clientInfo = { name: 'test', version: '1' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
};

interface Sent {
  readonly id?: string;
  readonly message?: object;
  readonly signal?: AbortSignal;
}

/** A server over HTTP, and the requests of an agent with a version of MCP that has sessions. */
async function target(tools: Readonly<Record<string, Tool>> = { one: tool }, limits: ServerOptions = {}) {
  const { editor, server } = await openServer(tools, { transport: 'http', server: limits });
  const send = (method: string, { id, message, signal = new AbortController().signal }: Sent = {}) =>
    fetch(String(server['url']), {
      method,
      signal,
      headers: sessionHeaders(server, id),
      ...(message && { body: JSON.stringify(message) }),
    });
  const begin = async () => {
    const answer = await send('POST', { message: initialize });
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? 'no session';
  };
  /** The status of a request in a session. */
  const ask = async (id: string) => {
    const answer = await send('POST', { id, message: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    await answer.text();
    return answer.status;
  };
  return { editor, server, send, begin, ask };
}

test('[reliability: limit-tool-sessions] the oldest session of MCP ends when the agent begins one more than it can have', async () => {
  const { begin, ask } = await target();
  const ids: string[] = [];
  for (let count = 0; count < maxMcpSessions; count++) ids.push(await begin());
  const [first = '', second = ''] = ids;
  expect(await ask(first)).toBe(200);
  const last = await begin();
  expect(await ask(first)).toBe(404);
  expect(await ask(second)).toBe(200);
  expect(await ask(last)).toBe(200);
});

test('[reliability: limit-tool-sessions] an agent has 16 subscriptions over HTTP, and one more is refused', async () => {
  const { server } = await target();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const listen = (id: number) =>
    post(
      server,
      request('subscriptions/listen', id, { notifications: { toolsListChanged: true } }),
      end.signal,
    );
  for (let count = 0; count < maxMcpSessions; count++) {
    expect((await listen(count)).headers.get('content-type')).toBe('text/event-stream');
  }
  expect(await (await listen(maxMcpSessions)).text()).toContain('Subscription limit reached');
});

test('a session of MCP that the agent has ended is not there any more, and takes no place', async () => {
  const { send, begin, ask } = await target();
  const first = await begin();
  for (let count = 0; count < maxMcpSessions; count++) {
    const id = await begin();
    const ended = await send('DELETE', { id });
    await ended.text();
    expect(ended.status).toBe(200);
    expect(await ask(id)).toBe(404);
  }
  expect(await ask(first)).toBe(200);
});

test('an agent opens its stream of events again after a loss, and gets the changes', async () => {
  // A stream that is kept alive is noticed as lost some time later.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { editor, send, begin } = await target();
  const id = await begin();
  const lost = new AbortController();
  expect((await send('GET', { id, signal: lost.signal })).status).toBe(200);
  lost.abort();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  // The server learns of the loss a moment later. Not with `expect.poll`, which lets simulated time pass.
  let stream = await send('GET', { id, signal: end.signal });
  while (stream.status !== 200) {
    await stream.text();
    stream = await send('GET', { id, signal: end.signal });
  }
  await editor.addTool('two', tool);
  const event = await stream.body?.getReader().read();
  expect(new TextDecoder().decode(event?.value)).toContain('notifications/tools/list_changed');
});

describe('a result needs no room', () => {
  /** It takes all the room. */
  const large = () => ({ structuredContent: { text: 'x'.repeat(1000) } });
  const small: Tool = { description: 'x', run: () => 'ran'.repeat(100) };

  /** A session with two tools, and calls of them. */
  async function callsOf(wait: Tool) {
    const { send, begin } = await target({ wait, small }, { maxUnreadResultBytes: 1000 });
    const id = await begin();
    const post = (message: object, init: { signal?: AbortSignal } = {}) =>
      send('POST', { id, message: { jsonrpc: '2.0', ...message }, ...init });
    const call = (name: string, init?: { signal?: AbortSignal }) =>
      post({ id: name, method: 'tools/call', params: { name } }, init);
    return { post, call };
  }

  test('if the connection for it was closed before the tool has returned', async () => {
    const flush = vi.spyOn(ServerResponse.prototype, 'flushHeaders');
    onTestFinished(() => flush.mockRestore());
    const begun = deferred<() => void>();
    const run = () => new Promise<ToolResult>((resolve) => begun.resolve(() => resolve(large())));
    const { call } = await callsOf({ description: 'x', run });
    const left = new AbortController();
    await call('wait', { signal: left.signal });
    const end = await begun.promise;
    // The stream of the answer is the last that began.
    const response = flush.mock.contexts.at(-1) as ServerResponse;
    left.abort();
    await once(response, 'close');
    end();
    expect(await (await call('small')).text()).toContain('ranran');
  });

  test('if its call was cancelled, while the connection for it stays open', async () => {
    const checking = deferred();
    const validate = () => {
      checking.resolve();
      return new Promise(() => {});
    };
    const output = ownSchema(validate);
    const { call, post } = await callsOf({ description: 'x', output, run: large });
    await call('wait');
    await checking.promise;
    await post({ method: 'notifications/cancelled', params: { requestId: 'wait' } });
    await eventually(async () => (await call('small')).text()).toContain('ranran');
  });
});
