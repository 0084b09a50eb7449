import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { AcpError } from '../../src/errors.ts';
import { Peer, type PeerListener, type RequestOptions } from '../../src/rpc/peer.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { memoryTransport } from '../../src/testing/memory-transport.ts';

/** A peer, what it was told in order, and the agent's end of the channel. */
function setUp(onRequest: PeerListener['onRequest'] = async () => ({})) {
  const { transport, agent } = memoryTransport();
  const told: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const sent: Record<string, unknown>[] = [];
  agent.onLine((line) => sent.push(JSON.parse(line)));
  const peer = new Peer(transport, {
    onUpdate: (params) => told.push(`update ${(params as { n: number }).n}`),
    onNotification: (method) => told.push(`notification ${method}`),
    onRequest: (method, params, signal) => {
      told.push(`request ${method}`);
      return onRequest(method, params, signal);
    },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  peers.push(peer);
  return { peer, agent, told, diagnostics, sent };
}

const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

const update = (n: number) => ({ jsonrpc: '2.0', method: 'session/update', params: { n } });
/** Lets everything that is under way in memory come to rest, however loaded the machine is. */
const settle = async () => {
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
};

/** Calls through so many async functions, as an application's layers do. */
async function throughLayers<T>(depth: number, call: () => Promise<T>): Promise<T> {
  return depth === 0 ? call() : await throughLayers(depth - 1, call);
}

describe.each([0, 6, 20])('the order of the wire, behind %i async functions', (depth) => {
  test('what came before a response was handled when its promise continues', async () => {
    const { peer, agent, told } = setUp();
    const load = throughLayers(depth, () => peer.request('session/load', {})).then(() => [...told]);
    await settle();
    agent.send(
      update(1),
      update(2),
      update(3),
      update(4),
      update(5),
      { jsonrpc: '2.0', id: 0, result: {} },
      update(6),
    );
    expect(await load).toEqual([1, 2, 3, 4, 5].map((n) => `update ${n}`));
    await settle();
    expect(told).toHaveLength(6);
  });

  test('what came after a response is handled after its promise has continued', async () => {
    const { peer, agent, told } = setUp();
    throughLayers(depth, () => peer.request('session/new', {})).then(() => told.push('opened'));
    await settle();
    agent.send({ jsonrpc: '2.0', id: 0, result: {} }, update(1), update(2));
    await settle();
    expect(told).toEqual(['opened', 'update 1', 'update 2']);
  });

  test('a request is taken between the updates around it', async () => {
    const { agent, told } = setUp();
    const request = { jsonrpc: '2.0', id: 'x', method: 'session/request_permission', params: {} };
    agent.send(update(1), request, update(2));
    await settle();
    expect(told).toEqual(['update 1', 'request session/request_permission', 'update 2']);
  });

  test('responses, requests and updates in one chunk, several of each', async () => {
    const { peer, agent, told } = setUp();
    for (const name of ['a', 'b', 'c']) {
      throughLayers(depth, () => peer.request(name, {})).then(
        () => told.push(`${name} done`),
        () => told.push(`${name} failed`),
      );
    }
    await settle();
    agent.send(
      update(1),
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 'r1', method: 'one', params: {} },
      update(2),
      { jsonrpc: '2.0', id: 0, error: { code: 1, message: 'no' } },
      { jsonrpc: '2.0', id: 1, method: 'two', params: {} },
      { jsonrpc: '2.0', id: 1, result: null },
      update(3),
    );
    await settle();
    const order = [
      'update 1',
      'c done',
      'request one',
      'update 2',
      'a failed',
      'request two',
      'b done',
      'update 3',
    ];
    expect(told).toEqual(order);
  });
});

test('a slow handler holds up nobody', async () => {
  let release = () => {};
  const { peer, agent, sent } = setUp((method) =>
    method === 'slow'
      ? new Promise((resolve) => (release = () => resolve({ slow: true })))
      : Promise.resolve({}),
  );
  const answer = peer.request('session/prompt', {});
  await settle();
  agent.send(
    { jsonrpc: '2.0', id: 1, method: 'slow', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'quick', params: {} },
  );
  agent.send({ jsonrpc: '2.0', id: 0, result: { done: true } });
  expect(await answer).toEqual({ done: true });
  await settle();
  expect(sent.filter(({ result }) => result)).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }]);
  release();
  await settle();
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: { slow: true } });
});

test('a handler may call the agent back', async () => {
  const peerOf: { peer?: Peer } = {};
  const { peer, agent, sent } = setUp(async () => ({ got: await peerOf.peer?.request('back', {}) }));
  peerOf.peer = peer;
  agent.send({ jsonrpc: '2.0', id: 7, method: 'there', params: {} });
  await settle();
  agent.send({ jsonrpc: '2.0', id: 0, result: 'and back' });
  await settle();
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 7, result: { got: 'and back' } });
});

describe('cancellation as ACP says it', () => {
  test('an abort sends $/cancel_request with requestId and rejects with the reason', async () => {
    const { peer, sent } = setUp();
    const control = new AbortController();
    const reason = new Error('the user left');
    const call = peer.request('session/list', {}, { signal: control.signal });
    await settle();
    control.abort(reason);
    await expect(call).rejects.toBe(reason);
    await settle();
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 0 } });
  });

  test('an answer that comes after the abort is no stranger', async () => {
    const { peer, agent, diagnostics } = setUp();
    const control = new AbortController();
    const call = peer.request('session/list', {}, { signal: control.signal });
    await settle();
    control.abort();
    await expect(call).rejects.toThrow();
    agent.send({ jsonrpc: '2.0', id: 0, result: {} }, { jsonrpc: '2.0', id: 0, result: {} });
    await settle();
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['rpc.unknown_response']);
  });

  test('an aborted signal sends nothing', async () => {
    const { peer, sent } = setUp();
    await expect(peer.request('session/list', {}, { signal: AbortSignal.abort('gone') })).rejects.toBe(
      'gone',
    );
    await settle();
    expect(sent).toEqual([]);
  });

  test.each([5, 'a-b'])("the agent's $/cancel_request of %o reaches its own request alone", async (id) => {
    const aborted: unknown[] = [];
    const { agent, sent } = setUp(
      (method, _, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(method);
            reject(signal.reason);
          });
        }),
    );
    const other = typeof id === 'number' ? String(id) : 'other';
    agent.send(
      { jsonrpc: '2.0', id, method: 'mine', params: {} },
      { jsonrpc: '2.0', id: other, method: 'yours', params: {} },
    );
    await settle();
    agent.send({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } });
    await settle();
    expect(aborted).toEqual(['mine']);
    expect(sent).toEqual([{ jsonrpc: '2.0', id, error: expect.objectContaining({ code: -32800 }) }]);
  });

  test('cancels for nothing, and in the other protocol’s words, are passed over', async () => {
    const { agent, diagnostics, told, sent } = setUp();
    agent.send(
      { jsonrpc: '2.0', method: '$/cancel_request' },
      { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 99 } },
      { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: null } },
      { jsonrpc: '2.0', method: '$/cancelRequest' },
      { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 0 } },
      { jsonrpc: '2.0', method: '$/progress' },
      update(1),
    );
    await settle();
    expect(told).toContain('update 1');
    expect(sent).toEqual([]);
    expect(diagnostics).toEqual([]);
  });
});

describe('answers that are none', () => {
  async function answered(response: object, options?: RequestOptions) {
    const set = setUp();
    const call = set.peer.request('session/new', {}, options).then(
      (value) => ({ value }),
      (error: AcpError) => ({ error }),
    );
    await settle();
    set.agent.send(response);
    return { ...set, outcome: await call };
  }

  test('neither result nor error: the call fails, typed', async () => {
    const { outcome, diagnostics } = await answered({ jsonrpc: '2.0', id: 0 });
    expect(outcome).toMatchObject({ error: { code: 'protocol.message', method: 'session/new' } });
    expect(diagnostics).toMatchObject([{ rule: 'rpc.invalid_response' }]);
  });

  test('an error that is no error object: the call fails, typed', async () => {
    const { outcome } = await answered({ jsonrpc: '2.0', id: 0, error: 'no' });
    expect(outcome).toMatchObject({ error: { code: 'protocol.message' } });
  });

  test('a null result is a result', async () => {
    expect((await answered({ jsonrpc: '2.0', id: 0, result: null })).outcome).toEqual({ value: null });
  });

  test('a number that came back as a string is understood', async () => {
    expect((await answered({ jsonrpc: '2.0', id: '0', result: { ok: true } })).outcome).toEqual({
      value: { ok: true },
    });
  });

  test.each([
    [-32000, 'remote.auth_required'],
    [-32002, 'remote.not_found'],
    [-32800, 'remote.cancelled'],
    [-32603, 'remote'],
    [400, 'remote'],
    // The codes that vscode-jsonrpc uses for itself are nothing special from an agent.
    [-32099, 'remote'],
    [-32097, 'remote'],
  ])('error %i is %s', async (rpcCode, code) => {
    const { outcome } = await answered({
      jsonrpc: '2.0',
      id: 0,
      error: { code: rpcCode, message: 'no', data: { a: 1 } },
    });
    expect(outcome).toMatchObject({ error: { code, rpcCode, data: { a: 1 }, method: 'session/new' } });
  });

  test('an error without an id disturbs nobody', async () => {
    const { peer, agent, diagnostics } = setUp();
    const call = peer.request('session/new', {});
    await settle();
    agent.send(
      { jsonrpc: '2.0', error: { code: -32601, message: 'what?' } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse' } },
      { jsonrpc: '2.0', id: 0, result: {} },
    );
    expect(await call).toEqual({});
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['rpc.error_without_id', 'rpc.error_without_id']);
  });
});

describe('messages that are none', () => {
  test('an array is taken apart, in order', async () => {
    const { peer, agent, told, diagnostics } = setUp();
    const call = peer.request('session/load', {}).then(() => told.push('loaded'));
    await settle();
    agent.send([update(1), { jsonrpc: '2.0', id: 0, result: {} }, update(2)], update(3));
    await call;
    await settle();
    expect(told).toEqual(['update 1', 'loaded', 'update 2', 'update 3']);
    expect(diagnostics).toMatchObject([{ rule: 'rpc.batch' }]);
  });

  test('requests without a usable id are refused, and the next goes on', async () => {
    const { agent, sent, told } = setUp();
    agent.send(
      { jsonrpc: '2.0', id: null, method: 'a', params: {} },
      { jsonrpc: '2.0', id: {}, method: 'b', params: {} },
      { jsonrpc: '2.0', id: 3, method: 'c', params: [1, 2] },
    );
    await settle();
    expect(told).toEqual(['request c']);
    expect(sent.map(({ id, error }) => [id, (error as { code?: number })?.code])).toEqual([
      [null, -32600],
      [null, -32600],
      [3, undefined],
    ]);
  });

  test('ids 1 and "1" are two requests', async () => {
    const { agent, sent } = setUp(async (method) => method);
    agent.send(
      { jsonrpc: '2.0', id: 1, method: 'number', params: {} },
      { jsonrpc: '2.0', id: '1', method: 'string', params: {} },
    );
    await settle();
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, result: 'number' },
      { jsonrpc: '2.0', id: '1', result: 'string' },
    ]);
  });

  test('noise, nonsense and half a line leave the rest whole', async () => {
    const { agent, told, diagnostics } = setUp();
    agent.write('Loading model…\n\r\n\n42\n"text"\nnull\n{"jsonrpc":"2.0"}\n{]\n');
    agent.send(update(1));
    agent.write('{"half":');
    agent.end();
    await settle();
    expect(told).toEqual(['update 1']);
    const rules = diagnostics.map(({ rule }) => rule);
    expect(rules.filter((rule) => rule === 'transport.noise')).toHaveLength(5);
    expect(rules.at(-1)).toBe('transport.truncated');
  });
});

describe('the end of the channel', () => {
  test('pending calls are rejected, after what was received was handled', async () => {
    const { peer, agent, told } = setUp();
    const first = peer.request('session/list', {}).then(() => told.push('listed'));
    const second = peer.request('session/prompt', {}).catch((error: AcpError) => error);
    await settle();
    agent.send(update(1), { jsonrpc: '2.0', id: 0, result: {} }, update(2));
    agent.end();
    expect(await second).toMatchObject({ code: 'connection.closed', method: 'session/prompt' });
    await first;
    expect(told).toEqual(['update 1', 'listed', 'update 2']);
    await expect(peer.request('session/list', {})).rejects.toMatchObject({ code: 'connection.closed' });
    await expect(peer.notify('session/cancel', {})).rejects.toMatchObject({ code: 'connection.closed' });
    expect(await peer.closed).toEqual({});
  });

  test('a closed input ends the channel, and the call says so', async () => {
    const { peer, agent } = setUp();
    agent.closeInput();
    await expect(peer.request('session/list', {})).rejects.toMatchObject({
      code: 'connection.closed',
      // Whatever the channel is: a pipe, a socket, or something of the editor's own.
      message: expect.stringContaining('does not reach the agent any more: write EPIPE.'),
    });
  });

  test('a handler is told, and no answer is attempted', async () => {
    let told: AbortSignal | undefined;
    const { peer, agent } = setUp((_, __, signal) => {
      told = signal;
      return new Promise(() => {});
    });
    agent.send({ jsonrpc: '2.0', id: 1, method: 'slow', params: {} });
    await settle();
    agent.end();
    await peer.closed;
    expect(told?.aborted).toBe(true);
  });

  test('close is idempotent, and a call after it was never sent', async () => {
    const { peer, sent } = setUp();
    await Promise.all([peer.close(), peer.close()]);
    await expect(peer.request('session/list', {})).rejects.toSatisfy((error) => AcpError.is(error));
    expect(sent).toEqual([]);
  });
});

test('what a handler throws is told to the editor and not to the agent', async () => {
  const { agent, sent, diagnostics } = setUp(async (method) => {
    if (method === 'refuse') throw new RequestError(-32002, 'No such file.', { path: '/x' });
    throw new Error('secret');
  });
  agent.send(
    { jsonrpc: '2.0', id: 1, method: 'refuse', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'break', params: {} },
  );
  await settle();
  expect(sent[0]).toMatchObject({
    id: 1,
    error: { code: -32002, message: 'No such file.', data: { path: '/x' } },
  });
  expect(JSON.stringify(sent[1])).not.toContain('secret');
  expect(sent[1]).toMatchObject({ id: 2, error: { code: -32603 } });
  expect(diagnostics).toMatchObject([{ rule: 'handler.failed', message: expect.stringContaining('secret') }]);
});

test('a call that JSON cannot say fails as the caller’s fault, and the channel lives on', async () => {
  const { peer, agent } = setUp();
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  await expect(peer.request('_x', circle as never)).rejects.toMatchObject({ code: 'usage.params' });
  const call = peer.request('session/list', {});
  await settle();
  agent.send({ jsonrpc: '2.0', id: 1, result: {} });
  expect(await call).toEqual({});
});

test('a time limit gives the call up and tells the agent', async () => {
  const { peer, sent } = setUp();
  await expect(peer.request('session/list', {}, { timeoutMs: 10 })).rejects.toMatchObject({
    code: 'timeout',
    timeoutMs: 10,
  });
  await settle();
  expect(sent.at(-1)).toMatchObject({ method: '$/cancel_request', params: { requestId: 0 } });
});
