import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { missingHandlers } from '../../../src/core/client/requests/context.ts';
import { elicitationService } from '../../../src/core/client/requests/elicitation.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import { maxNotificationHandlers } from '../../../src/core/client/requests/notifications.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, settle } from '../../support/agents.ts';
import { openSession, undecided } from '../../support/open-session.ts';
import { permissionParams, says, working } from '../../support/updates.ts';

describe('requests of the agent', () => {
  const withSession = (handlers: ClientHandlers = {}) =>
    openSession('v1', { answers: { 'session/prompt': noAnswer }, handlers });

  test('[agents: ids-overlap] numeric ids from 0 do not collide with the ids of the client', async () => {
    const { agent, session } = await withSession({ requestPermission: () => 'yes' });
    const turn = session.prompt('Write.');
    const { id = '' } = await agent.called('session/prompt');
    const asked = [];
    for (let count = 0; count <= Number(id); count++) {
      asked.push(await agent.request('session/request_permission', permissionParams('v1')));
    }
    expect(asked.map((answer) => answer.id)).toContain(id);
    expect(asked).toEqual(
      asked.map((answer) => ({ ...answer, result: { outcome: { outcome: 'selected', optionId: 'yes' } } })),
    );
    agent.answer(id, { stopReason: 'end_turn' });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  });

  test.each(dialectNames)(
    '[agents: withdraws-permission] a permission that the agent withdraws after a cancel is answered once, as cancelled (%s)',
    async (dialect) => {
      const { agent, session } = await openSession(dialect, {
        script: working(dialect),
        handlers: undecided().handlers,
      });
      session.prompt('Write.').catch(() => {});
      await agent.called('session/prompt');
      const params = permissionParams(dialect);
      const asked = agent.request('session/request_permission', params);
      await settle();
      await session.cancel();
      agent.notify('$/cancel_request', { requestId: asked.id });
      expect((await asked).result).toEqual({ outcome: { outcome: 'cancelled' } });
      await settle();
      expect(agent.received.filter((message) => message.id === asked.id && !message.method)).toHaveLength(1);
      // A request that comes before the agent ended the turn is answered in the same way.
      const late = agent.request('session/request_permission', params);
      expect((await late).result).toEqual({ outcome: { outcome: 'cancelled' } });
    },
  );

  test('an extension notification without a handler is reported once, and its count at the end', async () => {
    const { agent, connection, diagnostics } = await withSession();
    for (let count = 0; count < 162; count++) agent.notify('_x.ai/session_notification', { count });
    await settle();
    await connection.close();
    const about = diagnostics.filter(({ rule }) => rule === 'rpc.unknown_notification');
    expect(about.map(({ message }) => message)).toEqual([
      'The agent sent the notification _x.ai/session_notification, for which there is no handler. Further ones are counted.',
      'The agent sent the notification _x.ai/session_notification 162 times, for which there is no handler.',
    ]);
  });

  test('[reliability: limit-notifications] a notification is dropped while too many handlers of notifications run', async () => {
    const ends: (() => void)[] = [];
    const { agent, diagnostics } = await withSession({
      extensions: { _wait: () => new Promise<void>((resolve) => ends.push(resolve)) },
    });
    const send = (count: number) => {
      for (let sent = 0; sent < count; sent++) agent.notify('_wait', {});
    };
    send(maxNotificationHandlers + 2);
    await settle();
    expect(ends).toHaveLength(maxNotificationHandlers);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(2).fill('rpc.too_many_notifications'));
    ends[0]?.();
    await settle();
    send(2);
    await settle();
    expect(ends).toHaveLength(maxNotificationHandlers + 1);
  });

  test.each([
    ['with no id', { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } }],
    ['with the id null', { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }],
  ])(
    '[agents: error-without-id] an error %s is reported, and the connection continues',
    async (_name, message) => {
      const { agent, connection, session, diagnostics } = await withSession();
      const turn = session.prompt('Hi.');
      const { id = '' } = await agent.called('session/prompt');
      agent.channel.send(message);
      agent.update('s1', says('Hello.'));
      agent.answer(id, { stopReason: 'end_turn' });
      expect(await turn).toMatchObject({ stopReason: 'end_turn' });
      expect(diagnostics).toMatchObject([{ rule: 'rpc.error_without_id' }]);
      expect(connection.state).toBe('open');
    },
  );
});

describe('results of handlers', () => {
  /** What a handler that is written in JavaScript may answer, and where it is wrong. */
  type WrongAnswer = readonly [method: string, answer: unknown, where: string];

  const wrong: readonly WrongAnswer[] = [
    ['fs/read_text_file', 'the text of the file', 'the result'],
    ['fs/read_text_file', undefined, 'the result'],
    ['fs/read_text_file', {}, 'content'],
    ['fs/read_text_file', { content: new Uint8Array(3) }, 'content'],
    ['terminal/create', { id: 't1' }, 'terminalId'],
    ['terminal/output', { output: 'the text of the file' }, 'truncated'],
    ['terminal/output', { output: null, truncated: false }, 'output'],
    ['terminal/wait_for_exit', undefined, 'the result'],
  ];

  const params: Readonly<Record<string, JsonObject>> = {
    'fs/read_text_file': { path: '/a' },
    'terminal/create': { command: 'make' },
    'terminal/output': { terminalId: 't1' },
    'terminal/wait_for_exit': { terminalId: 't1' },
  };

  /** Handlers that all return the same value. */
  function answering(answer: unknown): ClientHandlers {
    const handle = async () => answer as never;
    const terminals = { create: handle, output: handle, waitForExit: handle, kill: handle, release: handle };
    return { readTextFile: handle, writeTextFile: handle, terminals };
  }

  test.each(wrong)('%s: the result %j is not sent to the agent', async (method, answer, where) => {
    const { agent, diagnostics } = await openSession('v1', { handlers: answering(answer) });
    const { result, error } = await agent.request(method, { sessionId: 's1', ...params[method] });
    expect(result).toBeUndefined();
    expect(error).toEqual({ code: -32603, message: `The client failed to handle ${method}.` });
    expect(diagnostics).toMatchObject([{ rule: 'handler.invalid_answer', severity: 'error' }]);
    expect(diagnostics[0]?.message).toContain(`check ${where}`);
    expect(diagnostics[0]?.message).not.toContain('the text of the file');
  });

  test.each(['fs/write_text_file', 'terminal/kill', 'terminal/release'])(
    '%s: unknown fields of a result are not sent',
    async (method) => {
      const { agent, diagnostics } = await openSession('v1', { handlers: answering('done') });
      const request = { sessionId: 's1', path: '/a', content: '', terminalId: 't1' };
      expect((await agent.request(method, request)).result).toEqual({});
      expect(diagnostics).toEqual([]);
    },
  );
});

describe('requests without a handler', () => {
  const requests = [
    ['fs/read_text_file', { path: '/etc/passwd' }, 'readTextFile'],
    ['fs/write_text_file', { path: '/etc/passwd', content: '' }, 'writeTextFile'],
    ['terminal/create', { command: 'id' }, 'terminals'],
    ['terminal/output', { terminalId: 't1' }, 'terminals'],
    ['terminal/wait_for_exit', { terminalId: 't1' }, 'terminals'],
    ['terminal/kill', { terminalId: 't1' }, 'terminals'],
    ['terminal/release', { terminalId: 't1' }, 'terminals'],
    ['elicitation/create', { mode: 'form', message: 'Your password?', requestedSchema: {} }, 'elicit'],
    ['mcp/message', { connectionId: 'c', method: 'x' }, 'mcpMessage'],
  ] as const;

  test.each(requests)(
    '[33,41] [security: missing-handlers] v1 a request without a handler is refused, and reported once: %s',
    async (method, params, handler) => {
      const { agent, diagnostics } = await openSession('v1');
      const { error, result } = await agent.request(method, { sessionId: 's1', ...params });
      expect(error?.code).toBe(-32601);
      expect(result).toBeUndefined();
      await agent.request(method, { sessionId: 's1', ...params });
      expect(diagnostics).toMatchObject([
        {
          rule: 'handler.missing',
          severity: 'info',
          message: expect.stringContaining(`no handler ${handler}.`),
        },
      ]);
    },
  );

  test.each([
    ['form', { url: () => ({ action: 'decline' as const }) }],
    ['url', { form: () => ({ action: 'decline' as const }) }],
  ])('an elicitation in the mode %s, which has no handler, is reported', async (mode, elicit) => {
    const { agent, diagnostics } = await openSession('v1', { handlers: { elicit } });
    await agent.request('elicitation/create', { sessionId: 's1', mode, message: 'Who?' });
    expect(
      diagnostics.map(({ rule, message }) => [rule, /no handler ([\w.]+)\./.exec(message)?.[1]]),
    ).toEqual([['handler.missing', `elicit.${mode}`]]);
  });
});

test('an elicitation whose handler fails is answered with an error', async () => {
  const form = () => Promise.reject(new Error('no window'));
  const { agent } = await openSession('v1', { handlers: { elicit: { form } } });
  const requestedSchema = { type: 'object', properties: {} };
  const params = { sessionId: 's1', mode: 'form', message: 'Who?', requestedSchema };
  const { error } = await agent.request('elicitation/create', params);
  expect(error?.code).toBe(-32603);
});

test('a request that waits for a handler when the connection closes is no failure of the handler', async () => {
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    handlers: { extensions: { _wait: () => new Promise(() => {}) } },
  });
  void agent.request('_wait', {});
  await settle();
  await connection.close();
  await settle();
  expect(diagnostics).toEqual([]);
});

test('an elicitation that comes while the connection is being closed is cancelled at once', async () => {
  const { service } = elicitationService(AbortSignal.abort());
  const signals: AbortSignal[] = [];
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
  const answer = await service.serve({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Who?',
      requestedSchema: { type: 'object', properties: {} },
      requestId: 1,
    },
    signal: new AbortController().signal,
    hold() {},
    onTaken() {},
    handlers: {
      elicit: {
        form: (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    },
    dialect: v1,
    report,
    missing: missingHandlers(report),
    registered: undefined,
  });
  expect(answer).toEqual({ action: 'cancel' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(diagnostics).toEqual([]);
});
