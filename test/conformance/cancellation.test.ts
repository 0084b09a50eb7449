import { describe, expect, test } from 'vitest';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { everything } from '../support/agents.ts';
import { connectFlushable, flush, openSession } from '../support/open-session.ts';
import { endTurn, permissionParams, working } from '../support/updates.ts';

/** What the pages about cancellation of both versions say in the same words. */

/** The responses that the client gave to this request. */
const responsesTo = ({ received }: ScriptedAgent, id: string | number | null) =>
  received.filter((message) => message.method === undefined && message.id === id);

describe.each(['v1', 'v2-baseline'] as const)('in %s', (dialect) => {
  /** An agent whose request `_wait` is answered when its signal is aborted. */
  async function waiting() {
    const signals: AbortSignal[] = [];
    const connected = await connectFlushable(everything[dialect], {
      handlers: {
        extensions: {
          _wait: (_params, { signal }) => {
            signals.push(signal);
            return new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late')));
          },
          _echo: (params) => params,
        },
      },
      answers: { 'session/list': noAnswer },
    });
    return { ...connected, signals };
  }

  test('[43] v1, v2 a request that the agent cancels is answered once with -32800, and the signal of its handler is aborted', async () => {
    const { agent, signals, diagnostics } = await waiting();
    const asked = agent.request('_wait', {});
    await flush(agent);
    for (const requestId of [asked.id, asked.id, 999, null]) agent.notify('$/cancel_request', { requestId });
    expect((await asked).error?.code).toBe(-32800);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await flush(agent);
    expect(responsesTo(agent, asked.id)).toHaveLength(1);
    expect(diagnostics).toEqual([]);
  });

  test('[43] v1, v2 $/cancel_request for an answered, unknown or malformed id is ignored', async () => {
    const { agent, diagnostics } = await waiting();
    const asked = agent.request('_echo', { a: 1 });
    expect((await asked).result).toEqual({ a: 1 });
    for (const requestId of [asked.id, 999, 'x', null, {}]) agent.notify('$/cancel_request', { requestId });
    agent.notify('$/cancel_request');
    await flush(agent);
    expect(responsesTo(agent, asked.id)).toHaveLength(1);
    expect(diagnostics).toEqual([]);
  });

  test('[43] v1, v2 $/cancel_request distinguishes the ids 7 and "7"', async () => {
    const { agent } = await waiting();
    agent.channel.send(
      { jsonrpc: '2.0', id: '7', method: '_wait', params: {} },
      { jsonrpc: '2.0', id: 7, method: '_wait', params: {} },
      { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: '7' } },
    );
    await flush(agent);
    expect(responsesTo(agent, '7')).toMatchObject([{ error: { code: -32800 } }]);
    expect(responsesTo(agent, 7)).toEqual([]);
  });

  test('[44] [agents: text-ids] v1, v2 an answer has the id of the request unchanged', async () => {
    const { agent } = await waiting();
    const reserved = ['__proto__', 'constructor', 'prototype', 'then', 'toJSON'];
    const ids = [-1, 1.5, 9007199254740991, '', '0', 'a b', '6c9e1f0a-uuid', '\u00e4', ...reserved];
    agent.channel.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: '_echo', params: { id } })));
    await flush(agent);
    const answered = agent.received.filter(({ result }) => typeof result === 'object' && result !== null);
    // Answers have no order.
    expect(answered).toHaveLength(ids.length);
    expect(new Map(answered.map(({ id, result }) => [id, (result as { id: unknown }).id]))).toEqual(
      new Map(ids.map((id) => [id, id])),
    );
  });

  test('[38] v1, v2 session/cancel answers permission requests as cancelled and aborts their signals, until the turn has ended', async () => {
    const asked: string[] = [];
    const { agent, session } = await openSession(dialect, {
      script: working(dialect),
      handlers: {
        requestPermission: ({ toolCall }, { signal }) => {
          const id = toolCall?.toolCallId ?? '';
          asked.push(id);
          signal.addEventListener('abort', () => asked.push(`${id} withdrawn`));
          return id === 't4' ? 'yes' : new Promise(() => {});
        },
      },
    });
    const ask = (toolCallId: string) =>
      agent.request(
        'session/request_permission',
        permissionParams(dialect, { toolCall: { toolCallId, title: 'Write' } }),
      );
    const turn = session.prompt('Go');
    await agent.called('session/prompt');
    const open = [ask('t1'), ask('t2')];
    await flush(agent);
    await session.cancel();
    for (const answer of [...open, ask('t3')])
      expect((await answer).result).toEqual({ outcome: { outcome: 'cancelled' } });
    await endTurn(dialect, agent, 'cancelled');
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect((await ask('t4')).result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
    expect(asked).toEqual(['t1', 't2', 't1 withdrawn', 't2 withdrawn', 't4']);
  });

  test('[44] v1, v2 ids of the client are numbers or strings, and each is used once', async () => {
    const { agent, connection } = await waiting();
    for (let n = 0; n < 20; n++) {
      const page = connection.listSessions().page();
      page.catch(() => {});
    }
    await agent.called('session/list', 20);
    const ids = agent.received.map(({ id }) => id);
    expect(ids.every((id) => typeof id === 'number' || typeof id === 'string')).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('[44] v2 a request with the id null is refused', async () => {
  const { agent, diagnostics } = await connectFlushable(everything['v2-baseline'], {
    handlers: { extensions: { _x: () => 1 } },
  });
  agent.channel.send({ jsonrpc: '2.0', id: null, method: '_x', params: {} });
  await flush(agent);
  expect(responsesTo(agent, null)).toMatchObject([{ error: { code: -32600 } }]);
  expect(diagnostics).toMatchObject([{ rule: 'rpc.null_id' }]);
});
