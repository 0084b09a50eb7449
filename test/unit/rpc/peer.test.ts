import { describe, expect, test } from 'vitest';
import { AcpError } from '../../../src/core/base/errors.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { Peer } from '../../../src/core/rpc/peer.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { settle } from '../../support/agents.ts';
import { openPeer, update } from './open-peer.ts';

/** Calls through so many async functions, as an application's layers do. */
async function throughLayers<T>(depth: number, call: () => Promise<T>): Promise<T> {
  return depth === 0 ? call() : await throughLayers(depth - 1, call);
}

test('a transport that cannot be paused gets the same order', async () => {
  const { peer, agent, events } = openPeer(undefined, (transport) => ({
    ...transport,
    pause: undefined,
    resume: undefined,
  }));
  throughLayers(6, () => peer.request('session/new', {})).then(() => events.push('opened'));
  await settle();
  agent.send(
    update(1),
    { jsonrpc: '2.0', id: 0, result: {} },
    [update(2), { jsonrpc: '2.0', id: 'r', method: 'ask', params: {} }, update(3)],
    update(4),
  );
  agent.end();
  await peer.closed;
  expect(events).toEqual(['update 1', 'opened', 'update 2', 'request ask', 'update 3', 'update 4', 'end']);
});

test('a slow handler does not delay other messages', async () => {
  let release = () => {};
  const { peer, agent, sent } = openPeer(({ method }) =>
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
  const { peer, agent, sent } = openPeer(async () => ({ got: await peerOf.peer?.request('back', {}) }));
  peerOf.peer = peer;
  agent.send({ jsonrpc: '2.0', id: 7, method: 'there', params: {} });
  await settle();
  agent.send({ jsonrpc: '2.0', id: 0, result: 'and back' });
  await settle();
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 7, result: { got: 'and back' } });
});

describe('cancellation', () => {
  test('an answer after the abort is expected once', async () => {
    const { peer, agent, diagnostics } = openPeer();
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
    const { peer, sent } = openPeer();
    await expect(peer.request('session/list', {}, { signal: AbortSignal.abort('gone') })).rejects.toBe(
      'gone',
    );
    await settle();
    expect(sent).toEqual([]);
  });
});

describe('malformed answers', () => {
  async function answered(response: object) {
    const set = openPeer();
    const call = set.peer.request('session/new', {}).then(
      (value) => ({ value }),
      (error: AcpError) => ({ error }),
    );
    await settle();
    set.agent.send(response);
    return { ...set, outcome: await call };
  }

  test.each([
    ['without result and error', {}],
    ['with an error that is no error object', { error: 'no' }],
  ])('an answer %s rejects the call with a typed error', async (_, answer) => {
    const { outcome, diagnostics } = await answered({ jsonrpc: '2.0', id: 0, ...answer });
    expect(outcome).toMatchObject({ error: { code: 'protocol.message', method: 'session/new' } });
    expect(diagnostics).toMatchObject([{ rule: 'rpc.invalid_response' }]);
  });

  test.each([
    ['a null result is a result', 0, null],
    ['an id that comes back as a string belongs to the request with that number', '0', { ok: true }],
  ])('%s', async (_, id, result) => {
    expect((await answered({ jsonrpc: '2.0', id, result })).outcome).toEqual({ value: result });
  });

  test.each(['00', '0.0', ' 0', ''])('the id %j does not stand for the number 0', async (id) => {
    const { peer, agent, diagnostics } = openPeer();
    const call = peer.request('session/new', {});
    await settle();
    agent.send({ jsonrpc: '2.0', id, result: 'wrong' }, { jsonrpc: '2.0', id: 0, result: 'right' });
    expect(await call).toBe('right');
    expect(diagnostics).toMatchObject([{ rule: 'rpc.unknown_response' }]);
  });
});

describe('malformed messages', () => {
  test('requests without a valid id are refused, and the next message is handled', async () => {
    const { agent, sent, events, diagnostics } = openPeer();
    // JSON cannot express this number.
    agent.write('{"jsonrpc":"2.0","id":1e999,"method":"x","params":{}}\n');
    agent.send(
      { jsonrpc: '2.0', id: null, method: 'a', params: {} },
      { jsonrpc: '2.0', id: {}, method: 'b', params: {} },
      { jsonrpc: '2.0', id: 3, method: 'c', params: [1, 2] },
    );
    await settle();
    expect(events).toEqual(['request c']);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(3).fill('rpc.null_id'));
    expect(sent.map(({ id, error }) => [id, (error as { code?: number })?.code])).toEqual([
      ...Array(3).fill([null, -32600]),
      [3, undefined],
    ]);
  });

  test('the id of an open request stays taken after another request with it was refused', async () => {
    const { agent, sent, events } = openPeer(() => new Promise(() => {}));
    const request = { jsonrpc: '2.0', id: 1, method: 'slow', params: {} };
    agent.send(request, request, request);
    await settle();
    expect(events).toEqual(['request slow']);
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, error: expect.objectContaining({ code: -32600 }) },
      { jsonrpc: '2.0', id: 1, error: expect.objectContaining({ code: -32600 }) },
    ]);
  });
});

describe('the end of the channel', () => {
  test('an input that the agent closed ends the channel, with the reason in the error', async () => {
    const { peer, agent } = openPeer();
    agent.closeInput();
    await expect(peer.request('session/list', {})).rejects.toMatchObject({
      code: 'connection.closed',
      // Whatever the channel is: a pipe, a socket, or something of the editor's own.
      message: expect.stringContaining('Messages no longer reach the agent: write EPIPE.'),
    });
  });

  test('aborts the signal of a handler', async () => {
    let passed: AbortSignal | undefined;
    const { peer, agent } = openPeer(({ signal }) => {
      passed = signal;
      return new Promise(() => {});
    });
    agent.send({ jsonrpc: '2.0', id: 1, method: 'slow', params: {} });
    await settle();
    agent.end();
    await peer.closed;
    expect(passed?.aborted).toBe(true);
  });

  test('the end is reported once, also if close is called after it', async () => {
    const { peer, agent, events } = openPeer();
    agent.end();
    await peer.closed;
    await peer.close();
    expect(events).toEqual(['end']);
  });

  test('close is idempotent, and a call after it sends nothing', async () => {
    const { peer, sent } = openPeer();
    await Promise.all([peer.close(), peer.close()]);
    await expect(peer.request('session/list', {})).rejects.toSatisfy((error) => AcpError.is(error));
    expect(sent).toEqual([]);
  });
});

test('[security: thrown-errors] what a handler throws is reported to the editor and not to the agent', async () => {
  const { agent, sent, diagnostics } = openPeer(async ({ method }) => {
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

describe('a request that was abandoned', () => {
  async function abandoned() {
    const set = openPeer();
    const control = new AbortController();
    const outcomes: unknown[] = [];
    const call = set.peer.request(
      'session/load',
      {},
      {
        signal: control.signal,
        onAbandoned: (late) => {
          set.events.push('abandoned');
          late.then(
            (value) => set.events.push(`late ${JSON.stringify(value)}`),
            (error: AcpError) => {
              set.events.push('late error');
              outcomes.push(error);
            },
          );
        },
      },
    );
    await settle();
    control.abort('gone');
    await expect(call).rejects.toBe('gone');
    return { ...set, outcomes };
  }

  test('gives its late answer before the next message is read', async () => {
    const { agent, events } = await abandoned();
    agent.send(update(1), { jsonrpc: '2.0', id: 0, result: { late: true } }, update(2));
    await settle();
    expect(events).toEqual(['abandoned', 'update 1', 'late {"late":true}', 'update 2']);
  });

  test('does not let an update overtake the answer to another call', async () => {
    const { peer, agent, events } = openPeer();
    const control = new AbortController();
    const call = peer.request('session/list', {}, { signal: control.signal });
    const other = peer.request('session/new', {}).then(() => events.push('answer'));
    await settle();
    control.abort('gone');
    agent.send({ jsonrpc: '2.0', id: 1, result: {} }, update(1));
    await expect(call).rejects.toBe('gone');
    await other;
    await settle();
    expect(events).toEqual(['answer', 'update 1']);
  });

  test('gives the answer that had arrived before', async () => {
    const { peer, agent, events } = openPeer();
    const control = new AbortController();
    const onAbandoned = (late: Promise<unknown>) =>
      void late.then((value) => events.push(`late ${JSON.stringify(value)}`));
    const call = peer.request('session/list', {}, { signal: control.signal, onAbandoned });
    await settle();
    agent.send({ jsonrpc: '2.0', id: 0, result: {} }, update(1));
    control.abort('gone');
    await expect(call).rejects.toBe('gone');
    await settle();
    expect(events).toEqual(['late {}', 'update 1']);
  });

  test('gives a late error as the error of a call', async () => {
    const { agent, outcomes } = await abandoned();
    agent.send({ jsonrpc: '2.0', id: 0, error: { code: -32800, message: 'cancelled' } });
    await settle();
    expect(outcomes).toMatchObject([{ code: 'remote.cancelled', method: 'session/load' }]);
  });

  test('rejects when the channel ends', async () => {
    const { agent, peer, outcomes } = await abandoned();
    agent.end();
    await peer.closed;
    await settle();
    expect(outcomes).toMatchObject([{ code: 'connection.closed' }]);
  });
});

test('a call that takes too long rejects and is cancelled', async () => {
  const { peer, sent } = openPeer();
  await expect(peer.request('session/list', {}, { timeoutMs: 10 })).rejects.toMatchObject({
    code: 'timeout',
    timeoutMs: 10,
  });
  await settle();
  expect(sent.at(-1)).toMatchObject({ method: '$/cancel_request', params: { requestId: 0 } });
});

test('what waits for a request can hold the reading: nothing is handled before its work has settled', async () => {
  const { peer, agent, events } = openPeer();
  const { promise: work, resolve: finish } = deferred();
  const opened = throughLayers(6, () => peer.request('initialize', {})).then(() => {
    peer.holdReading(work);
    events.push('answered');
    return throughLayers(6, () => work.then(() => events.push('ready')));
  });
  await settle();
  agent.send({ jsonrpc: '2.0', id: 0, result: {} }, update(1), { jsonrpc: '2.0', id: 'r', method: 'ask' });
  await settle();
  expect(events).toEqual(['answered']);
  finish();
  await opened;
  await settle();
  expect(events).toEqual(['answered', 'ready', 'update 1', 'request ask']);
});

test('work that fails lets the reading go on', async () => {
  const { peer, agent, events } = openPeer();
  const opened = peer
    .request('initialize', {})
    .then(() => peer.holdReading(Promise.reject(new Error('lost'))));
  await settle();
  agent.send({ jsonrpc: '2.0', id: 0, result: {} }, update(1));
  await opened;
  await settle();
  expect(events).toEqual(['update 1']);
});
