import { describe, expect, test } from 'vitest';
import { dialectNames, everything, hasOneStream } from '../support/agents.ts';
import { connectFlushable, cwd, flush, openSession, sentSinceInitialize } from '../support/open-session.ts';
import { carriesMetadata } from './dialects.ts';

/** What the pages about extensions of both versions say in the same words. */

describe.each(['v1', 'v2-baseline'] as const)('in %s', (dialect) => {
  test('[32] v1, v2 a parameter that the protocol does not have is refused, and _meta is sent', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect], {
      answers: { 'session/new': { sessionId: 's1' }, 'session/resume': {} },
    });
    for (const extra of [{ workspace: 'x' }, { mcp_servers: [] }, { replayFrom: { type: 'end' } }]) {
      const error = await connection.newSession({ cwd, ...extra }).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'usage.params' });
      expect(String(error)).toContain('_meta');
    }
    const _meta = { 'example.com/trace': 'a', traceparent: '00-1' };
    await connection.newSession({ cwd, _meta });
    await connection.resumeSession({ sessionId: 's1', cwd, _meta });
    expect(sentSinceInitialize(agent)).toMatchObject([
      { method: 'session/new', params: { cwd, mcpServers: [], _meta } },
      { method: 'session/resume', params: { sessionId: 's1', cwd, _meta } },
    ]);
  });

  test.each(['vendor/thing', 'session/unheard_of', 'Session/new', 'toString', ''])(
    '[32] v1, v2 the method %j is refused: extension methods begin with _',
    async (method) => {
      const { agent, connection } = await connectFlushable(everything[dialect]);
      const error = await connection.request(method, {}).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'usage.capability', method });
      expect(String(error)).toContain('begin with "_"');
      await expect(connection.notify(method, {})).rejects.toMatchObject({ code: 'usage.capability' });
      await flush(agent);
      expect(sentSinceInitialize(agent)).toEqual([]);
    },
  );

  test('[32] v1, v2 extension methods are sent unchanged', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect], {
      answers: { '_vendor/thing': (params) => ({ got: params }) },
    });
    expect(await connection.request('_vendor/thing', { a: [1] })).toEqual({ got: { a: [1] } });
    await connection.notify('_vendor/note', { b: 2 });
    await connection.notify('_vendor/bare');
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([
      { jsonrpc: '2.0', id: expect.anything(), method: '_vendor/thing', params: { a: [1] } },
      { jsonrpc: '2.0', method: '_vendor/note', params: { b: 2 } },
      { jsonrpc: '2.0', method: '_vendor/bare' },
    ]);
  });

  test.each(['_vendor/ask', 'craft/drainMidTurnQueue', 'session/unheard_of', 'toString', '__proto__'])(
    '[42] [agents: methods-of-its-own] v1, v2 the request %s without a handler is answered -32601',
    async (method) => {
      const { agent, diagnostics } = await openSession(dialect);
      const { error } = await agent.request(method, { sessionId: 's1' });
      expect(error?.code).toBe(-32601);
      expect(diagnostics).toMatchObject([{ rule: 'rpc.unknown_request', severity: 'info' }]);
    },
  );

  test('[42] v1, v2 unknown notifications are ignored, and those that begin with $/ without a diagnostic', async () => {
    const { agent, connection, diagnostics } = await connectFlushable(everything[dialect]);
    const reserved = ['__proto__', 'constructor'];
    const unknown = ['_vendor/note', 'qwen/notify', 'session/unheard_of', ...reserved];
    for (const method of [...unknown, '$/progress', '$/x']) {
      agent.notify(method, { n: 1 });
    }
    await flush(agent);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(unknown.map(() => 'rpc.unknown_notification'));
    expect(connection.supports('session')).toBe(true);
  });

  test('[42] v1, v2 extension methods call their handlers', async () => {
    const told: unknown[] = [];
    const { agent, connection } = await openSession(dialect, {
      handlers: {
        extensions: {
          '_vendor/ask': (params, { session }) => ({ params, open: session !== undefined }),
          '_vendor/note': (params) => told.push(params),
        },
      },
    });
    expect((await agent.request('_vendor/ask', { sessionId: 's1' })).result).toEqual({
      params: { sessionId: 's1' },
      open: true,
    });
    expect((await agent.request('_vendor/ask', {})).result).toMatchObject({ open: false });
    agent.notify('_vendor/note', { n: 1 });
    await flush(agent);
    expect(told).toEqual([{ n: 1 }]);
    expect(connection.sessions).toHaveLength(1);
  });

  test.runIf(hasOneStream())(
    '[42] v1, v2 an extension method for a session that is not open calls its handler without a session',
    async () => {
      const { agent } = await connectFlushable(everything[dialect], {
        handlers: { extensions: { _ask: (_params, { session }) => ({ open: session !== undefined }) } },
      });
      expect((await agent.request('_ask', { sessionId: 'other' })).result).toEqual({ open: false });
    },
  );

  test('[42] v1, v2 an error of an extension handler is answered without its message', async () => {
    const _boom = () => {
      throw new Error('the secret');
    };
    const { agent, diagnostics } = await connectFlushable(everything[dialect], {
      handlers: { extensions: { _boom } },
    });
    const { error } = await agent.request('_boom', {});
    expect(error).toMatchObject({ code: -32603 });
    expect(JSON.stringify(error)).not.toContain('secret');
    agent.notify('_boom', {});
    await flush(agent);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['handler.failed', 'handler.failed']);
  });
});

test.each(dialectNames)(
  '[75] v1, v2, v2-markers _meta is sent with each call, and read from each answer, update and request (%s)',
  carriesMetadata,
);
