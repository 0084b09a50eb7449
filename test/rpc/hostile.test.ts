import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { maxOpenRequests, maxUnreadMessages, Peer, type PeerListener } from '../../src/rpc/peer.ts';
import { memoryTransport } from '../../src/testing/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { eventually } from '../support/eventually.ts';

const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

function setUp(
  onRequest: PeerListener['onRequest'] = async () => ({}),
  change: (transport: Transport) => Transport = (transport) => transport,
) {
  const { transport, agent } = memoryTransport();
  const diagnostics: Diagnostic[] = [];
  const updates: unknown[] = [];
  const sent: Record<string, unknown>[] = [];
  agent.onLine((line) => sent.push(JSON.parse(line)));
  const peer = new Peer(change(transport), {
    onUpdate: (params) => {
      if (params === 'break') throw new Error('a fold that fails');
      updates.push(params);
    },
    onNotification: () => {},
    onRequest,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  peers.push(peer);
  return { peer, agent, diagnostics, updates, sent };
}

/** Lets everything that is under way in memory come to rest, however loaded the machine is. */
const settle = async () => {
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
};
const update = (params: unknown) => ({ jsonrpc: '2.0', method: 'session/update', params });
const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'wait', params: {} });
const never = () => new Promise(() => {});

describe('an agent that asks for too much', () => {
  test('requests beyond the limit are refused, and there is room again when one was answered', async () => {
    let release = () => {};
    const { agent, sent, diagnostics } = setUp(
      (_, params) =>
        new Promise((resolve) => {
          if (params) release = () => resolve({});
        }),
    );
    const ids = Array.from({ length: maxOpenRequests + 3 }, (_, n) => n);
    agent.send(...ids.map(request));
    await eventually(() => sent.length).toBe(3);
    expect(sent.map(({ id }) => id)).toEqual(ids.slice(-3));
    expect(sent[0]).toMatchObject({ error: { code: -32603 } });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(3).fill('rpc.too_many_requests'));
    release();
    await eventually(() => sent.length).toBe(4);
    agent.send(request(5000), request(5001));
    await eventually(() => sent.length).toBe(5);
    expect(sent.at(-1)).toMatchObject({ id: 5001 });
  });

  test('one that never reads the answers is let go before they fill the memory', async () => {
    const { peer, agent } = setUp(never, (transport) => {
      // The agent's end of the pipe is full: nothing that is written is ever taken.
      transport.writer.write = () => new Promise(() => {});
      return transport;
    });
    const call = peer.request('session/list', {}).catch((error: unknown) => error);
    for (let n = 0; n < maxUnreadMessages + 2000; n += 1000) {
      agent.send(...Array.from({ length: 1000 }, (_, i) => request(n + i)));
      await settle();
    }
    expect(await call).toMatchObject({ code: 'connection.closed' });
    expect((await peer.closed).error?.message).toContain('does not read the answers');
  });
});

describe('arrays', () => {
  test('a very long one costs what its items cost, and the event loop has its turns', async () => {
    const { agent, updates, diagnostics } = setUp();
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    agent.write(`[${'0,'.repeat(300_000)}${JSON.stringify(update('last'))}]\n`);
    agent.send(update('next'));
    await eventually(() => updates).toEqual(['last', 'next']);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(10);
    expect(diagnostics).toHaveLength(300_001);
  });

  test('an item that cannot be handled leaves the others whole', async () => {
    const { agent, updates, diagnostics } = setUp();
    agent.send([update(1), update('break'), request(1), update('break'), update(2)], update(3));
    await settle();
    expect(updates).toEqual([1, 2, 3]);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['rpc.batch', 'client.failed', 'client.failed']);
  });
});

describe('what JSON cannot say', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
  const thrower = {
    toJSON() {
      throw new Error('not me');
    },
  };

  test.each([
    ['a circle', circle],
    ['a BigInt', { n: 1n }],
    ['too deep an object', deep],
    ['a toJSON that throws', thrower],
  ])(
    'as an answer, %s: the agent is told, a request of ours with the same id is not touched',
    async (_, answer) => {
      const { peer, agent, sent, diagnostics } = setUp(async () => answer);
      const call = peer.request('session/list', {});
      await settle();
      agent.send(request(0));
      await settle();
      expect(sent.at(-1)).toMatchObject({ id: 0, error: { code: -32603 } });
      expect(diagnostics).toMatchObject([{ rule: 'handler.invalid_answer' }]);
      agent.send({ jsonrpc: '2.0', id: 0, error: { code: 7, message: 'no' } });
      await expect(call).rejects.toMatchObject({ code: 'remote', rpcCode: 7 });
    },
  );

  test.each([
    ['a circle', circle],
    ['too deep an object', deep],
    ['a toJSON that throws', thrower],
  ])('as parameters, %s: the caller is told, and the channel lives on', async (_, params) => {
    const { peer, agent } = setUp();
    await expect(peer.request('_x', { params } as never)).rejects.toMatchObject({ code: 'usage.params' });
    await expect(peer.notify('_x', { params } as never)).rejects.toMatchObject({ code: 'usage.params' });
    const call = peer.request('session/list', {});
    await settle();
    agent.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await call).toEqual({});
  });
});

describe('an agent that does not read', () => {
  const stuck = (transport: Transport) => {
    transport.writer.write = () => new Promise(() => {});
    return transport;
  };

  test('a notification is given up in time', async () => {
    const { peer } = setUp(undefined, stuck);
    await expect(peer.notify('session/cancel', {}, { timeoutMs: 10 })).rejects.toMatchObject({
      code: 'timeout',
      method: 'session/cancel',
      timeoutMs: 10,
    });
  });

  test('or when the caller leaves', async () => {
    const { peer } = setUp(undefined, stuck);
    const control = new AbortController();
    const call = peer.notify('session/cancel', {}, { signal: control.signal });
    control.abort('gone');
    await expect(call).rejects.toBe('gone');
  });
});

test('an id that cannot be written back is refused', async () => {
  const { agent, sent, diagnostics } = setUp();
  agent.write('{"jsonrpc":"2.0","id":1e999,"method":"x","params":{}}\n');
  await settle();
  expect(sent).toMatchObject([{ id: null, error: { code: -32600 } }]);
  expect(diagnostics).toMatchObject([{ rule: 'rpc.null_id' }]);
});

describe('calls after the end', () => {
  test('after close, it is the caller’s mistake', async () => {
    const { peer } = setUp();
    const pending = peer.request('session/prompt', {}).catch((error: unknown) => error);
    await peer.close();
    expect(await pending).toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('was closed before the agent answered session/prompt'),
    });
    await expect(peer.request('session/list', {})).rejects.toMatchObject({ code: 'usage.state' });
    await expect(peer.notify('session/cancel', {})).rejects.toMatchObject({ code: 'usage.state' });
  });

  test('after the agent ended, nothing was sent, and the error says so', async () => {
    const { peer, agent } = setUp();
    agent.end();
    await peer.closed;
    await expect(peer.request('session/list', {})).rejects.toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('Nothing was sent'),
    });
  });

  test('a transport that never tells its end keeps nobody waiting', async () => {
    const { peer } = setUp(undefined, (transport) => ({ ...transport, close: async () => {} }));
    const pending = peer.request('session/prompt', {}).catch((error: unknown) => error);
    await peer.close();
    expect(await pending).toMatchObject({ code: 'connection.closed' });
    await peer.closed;
  });

  test('nor one whose close fails', async () => {
    const { peer } = setUp(undefined, (transport) => ({
      ...transport,
      close: async () => {
        throw new Error('stuck');
      },
    }));
    const pending = peer.request('session/prompt', {}).catch((error: unknown) => error);
    await expect(peer.close()).rejects.toThrow('stuck');
    peers.length = 0;
    expect(await pending).toMatchObject({ code: 'connection.closed' });
  });
});
