import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import {
  maxOpenRequests,
  maxUnreadAnswerBytes,
  maxUnreadBytes,
  maxUnreadMessages,
  type Peer,
} from '../../../src/core/rpc/peer.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { broken, openPeer, update } from './open-peer.ts';

const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'wait', params: {} });
const never = () => new Promise<never>(() => {});

describe('limits of requests and answers', () => {
  test('[security: request-limit] [reliability: limit-requests] requests beyond the limit are refused, and there is room again when one was answered', async () => {
    let release = () => {};
    const { agent, sent, diagnostics } = openPeer(
      ({ params }) =>
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

  test('a request that was answered counts while its handler runs on', async () => {
    const stops: (() => void)[] = [];
    const { agent, sent } = openPeer(async ({ hold }) => {
      hold(new Promise<void>((resolve) => stops.push(resolve)));
      return {};
    });
    const ids = Array.from({ length: maxOpenRequests + 1 }, (_, n) => n);
    agent.send(...ids.map(request));
    await eventually(() => sent.length).toBe(ids.length);
    expect(sent.filter(({ error }) => error).map(({ id }) => id)).toEqual([maxOpenRequests]);
    stops[0]?.();
    await settle();
    agent.send(request(5000), request(5001));
    await eventually(() => sent.length).toBe(ids.length + 2);
    expect(sent.slice(-2)).toEqual([
      expect.objectContaining({ id: 5000, result: {} }),
      expect.objectContaining({ id: 5001, error: expect.anything() }),
    ]);
  });

  test('a request counts once, however much its handler holds', async () => {
    const { agent, sent } = openPeer(({ hold }) => {
      const work = never();
      hold(work);
      hold(never());
      return work;
    });
    const ids = Array.from({ length: maxOpenRequests + 1 }, (_, n) => n);
    agent.send(...ids.map(request));
    await eventually(() => sent).toMatchObject([{ id: maxOpenRequests, error: { code: -32603 } }]);
  });

  test('[reliability: limit-unread] answers that are not read may have as many bytes as the limit, and no more', async () => {
    let queuedBytes = 0;
    let nextBytes = maxUnreadAnswerBytes;
    const { peer, agent } = openPeer(undefined, (transport) => {
      transport.send = () => {
        queuedBytes += nextBytes;
        return never();
      };
      return Object.defineProperty(transport, 'queuedBytes', { get: () => queuedBytes });
    });
    agent.send(request(1));
    await settle();
    nextBytes = 1;
    const call = peer.request('session/list', {});
    call.catch(() => {});
    await settle();
    // The call is not an answer, and the connection goes on.
    expect(peer.refusal('_x')).toBeUndefined();
    agent.send(request(2));
    await settle();
    // There is one byte more than the limit now, and one more answer.
    expect(peer.refusal('_x')).toBeUndefined();
    agent.send(request(3));
    await expect(call).rejects.toMatchObject({ code: 'connection.closed' });
    expect((await peer.closed).error?.message).toContain('does not read the answers: 64 MiB');
  });

  test('answers that the agent reads may have any number of bytes', async () => {
    const answer = { text: 'x'.repeat(4 * 1024 * 1024) };
    const { agent, sent } = openPeer(async () => answer);
    for (let id = 0; id < 20; id++) agent.send(request(id));
    await eventually(() => sent.length).toBe(20);
    expect(sent.filter(({ result }) => result)).toHaveLength(20);
  });

  test('[reliability: limit-messages] too many answers that the agent does not read end the connection', async () => {
    const { peer, agent } = openPeer(never, stuck);
    const call = peer.request('session/list', {}).catch((error: unknown) => error);
    // Each request that is refused adds an answer. The call is one more message.
    const count = maxOpenRequests + maxUnreadMessages - 1;
    for (let n = 0; n < count; n += 1000) {
      agent.send(...Array.from({ length: Math.min(1000, count - n) }, (_, i) => request(n + i)));
      await settle();
    }
    agent.send(request(count));
    await settle();
    // There are as many as the limit now, and one more.
    expect(peer.refusal('_x')).toBeUndefined();
    agent.send(request(count + 1));
    expect(await call).toMatchObject({ code: 'connection.closed' });
    expect((await peer.closed).error?.message).toContain('does not read the answers');
  });
});

describe('arrays of messages', () => {
  test('a very long array does not block the event loop', async () => {
    const { agent, events, diagnostics } = openPeer();
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    agent.write(`[${'0,'.repeat(300_000)}${JSON.stringify(update('last'))}]\n`);
    agent.send(update('next'));
    await eventually(() => events).toEqual(['update last', 'update next']);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(10);
    expect(diagnostics).toHaveLength(300_001);
  });

  test('a message that cannot be handled does not affect the others', async () => {
    const { agent, events, diagnostics } = openPeer();
    agent.send([update(1), update(broken), request(1), update(broken), update(2)], update(3));
    await settle();
    expect(events).toEqual(['update 1', 'request wait', 'update 2', 'update 3']);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['rpc.batch', 'client.failed', 'client.failed']);
  });
});

function canBeWritten(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

describe('values that JSON cannot express', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
  // JSON.stringify of Node 26 has no limit.
  const tooDeep: [string, unknown][] = canBeWritten(deep) ? [] : [['too deep an object', deep]];
  const thrower = {
    toJSON() {
      throw new Error('not me');
    },
  };

  test.each<[string, unknown]>([
    ['a circle', circle],
    ['a BigInt', { n: 1n }],
    ...tooDeep,
    ['a toJSON that throws', thrower],
  ])(
    '%s as an answer is an error for the agent, and does not affect a request of the client with the same id',
    async (_, answer) => {
      const { peer, agent, sent, diagnostics } = openPeer(async () => answer);
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

  test.each<[string, unknown]>([['a circle', circle], ...tooDeep, ['a toJSON that throws', thrower]])(
    '%s as parameters rejects the call, and the channel goes on',
    async (_, params) => {
      const { peer, agent } = openPeer();
      await expect(peer.request('_x', { params } as never)).rejects.toMatchObject({ code: 'usage.params' });
      await expect(peer.notify('_x', { params } as never)).rejects.toMatchObject({ code: 'usage.params' });
      const call = peer.request('session/list', {});
      await settle();
      agent.send({ jsonrpc: '2.0', id: 1, result: {} });
      expect(await call).toEqual({});
    },
  );
});

/** The agent's end of the pipe is full: nothing that is written is ever taken. */
const stuck = (transport: Transport) => {
  transport.send = never;
  return transport;
};

describe('an agent that does not read', () => {
  test('[reliability: limit-unread-calls] gets no more calls above a limit, until it reads', async () => {
    let queuedBytes = maxUnreadBytes;
    const { peer, agent, sent } = openPeer(undefined, (transport) =>
      Object.defineProperty(transport, 'queuedBytes', { get: () => queuedBytes }),
    );
    const atLimit = peer.request('_at', {});
    await peer.notify('_note', {});
    queuedBytes++;
    const refusal = {
      code: 'usage.state',
      message:
        '_above was not sent: the agent has not read more than 128 MiB of earlier messages. Wait until it reads them, or close the connection.',
    };
    await expect(peer.request('_above', {})).rejects.toMatchObject(refusal);
    await expect(peer.notify('_above', {})).rejects.toMatchObject(refusal);
    queuedBytes--;
    await peer.notify('_after', {});
    await eventually(() => sent.map(({ method }) => method)).toEqual(['_at', '_note', '_after']);
    agent.send({ jsonrpc: '2.0', id: 0, result: {} });
    expect(await atLimit).toEqual({});
  });

  test('a notification rejects after its time limit, and when its signal is aborted', async () => {
    const { peer } = openPeer(undefined, stuck);
    await expect(peer.notify('session/cancel', {}, { timeoutMs: 10 })).rejects.toMatchObject({
      code: 'timeout',
      method: 'session/cancel',
      timeoutMs: 10,
    });
    const control = new AbortController();
    const call = peer.notify('session/cancel', {}, { signal: control.signal });
    control.abort('gone');
    await expect(call).rejects.toBe('gone');
  });
});

describe('calls after the end', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Closes, and lets the time pass that a channel has for its end. */
  async function close(peer: Peer): Promise<void> {
    const closing = peer.close();
    await settle();
    await vi.advanceTimersByTimeAsync(1000);
    await closing;
  }

  test('a call after close is an error of the caller', async () => {
    const { peer } = openPeer();
    const pending = peer.request('session/prompt', {}).catch((error: unknown) => error);
    await close(peer);
    expect(await pending).toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('was closed before the agent answered session/prompt'),
    });
    await expect(peer.request('session/list', {})).rejects.toMatchObject({ code: 'usage.state' });
    await expect(peer.notify('session/cancel', {})).rejects.toMatchObject({ code: 'usage.state' });
  });

  test('a call after the end sends nothing, and its error says so', async () => {
    const { peer, agent } = openPeer();
    agent.end();
    await peer.closed;
    await expect(peer.request('session/list', {})).rejects.toMatchObject({
      code: 'connection.closed',
      message: expect.stringContaining('Nothing was sent'),
    });
  });

  test('close aborts the handlers that run before the channel has ended, and refuses further requests', async () => {
    const signals: AbortSignal[] = [];
    const channel = deferred();
    const { peer, agent, sent } = openPeer(
      ({ signal }) => {
        signals.push(signal);
        return never();
      },
      (transport) => ({ ...transport, ended: transport.ended, close: () => channel.promise }),
    );
    agent.send(request(1));
    await settle();
    const closing = peer.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    agent.send(request(2));
    await settle();
    expect(signals).toHaveLength(1);
    expect(sent).toMatchObject([{ id: 2, error: { code: -32800 } }]);
    channel.resolve();
    await settle();
    await vi.advanceTimersByTimeAsync(1000);
    await closing;
  });

  test('a transport that does not end does not delay close for ever', async () => {
    const { peer } = openPeer(undefined, (transport) => ({ ...transport, close: async () => {} }));
    const pending = peer.request('session/prompt', {}).catch((error: unknown) => error);
    await close(peer);
    expect(await pending).toMatchObject({ code: 'connection.closed' });
    await peer.closed;
  });
});
