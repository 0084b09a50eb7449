import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { choosePermissionOption } from '../../../src/core/client/requests/choose-permission-option.ts';
import type {
  ClientHandlers,
  PermissionOutcome,
  PermissionRequest,
} from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import {
  noAnswer,
  type ReceivedMessage,
  type ScriptedAgent,
} from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { flush, openSession, toolCalls } from '../../support/open-session.ts';
import { toolCallUpdate } from '../../support/updates.ts';

describe('permission requests', () => {
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const ask = (toolCallId: string, more: object = {}) =>
    ({
      sessionId: 's1',
      toolCall: { toolCallId, title: `Run ${toolCallId}` },
      options,
      ...more,
    }) as JsonObject;
  const cancelled = { outcome: { outcome: 'cancelled' } };

  /** A user who is asked and answers when the test says so. */
  function user() {
    const asked: PermissionRequest[] = [];
    const withdrawn: string[] = [];
    const answers = new Map<string, (outcome: PermissionOutcome) => void>();
    const handlers: ClientHandlers = {
      requestPermission: (request, { signal }) => {
        const id = request.toolCall?.toolCallId ?? '';
        asked.push(request);
        signal.addEventListener('abort', () => withdrawn.push(id));
        return new Promise((resolve) => answers.set(id, resolve));
      },
    };
    return {
      handlers,
      asked,
      withdrawn,
      answer: (id: string, optionId: string) => answers.get(id)?.({ outcome: 'selected', optionId }),
    };
  }

  async function working() {
    const person = user();
    const opened = await openSession('v1', {
      handlers: person.handlers,
      answers: { 'session/prompt': noAnswer },
    });
    const turn = opened.session.prompt('Go');
    const { id } = await opened.agent.called('session/prompt');
    const end = async (stopReason: string) => {
      opened.agent.answer(id as number, { stopReason });
      await turn;
    };
    return {
      ...opened,
      person,
      end,
      ask: (params: JsonObject) => opened.agent.request('session/request_permission', params),
    };
  }

  test('the end of a tool call answers its permission request as cancelled', async () => {
    for (const [sessionUpdate, status] of [
      ['tool_call_update', 'completed'],
      ['tool_call_update', 'failed'],
      ['tool_call', 'completed'],
    ] as const) {
      const { agent, conversation, person, ask: request, end } = await working();
      const asked = request(ask('t1'));
      await flush(agent);
      const content = { type: 'text', text: 'Done.' };
      agent.update('s1', { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content });
      agent.update('s1', { sessionUpdate, toolCallId: 't1', title: 'Run t1', status });
      expect((await asked).result).toEqual(cancelled);
      expect(person.withdrawn).toEqual(['t1']);
      expect(toolCalls(conversation())).toMatchObject([{ status, permission: null }]);
      await end('end_turn');
    }
  });

  test('the id of an option alone selects it', async () => {
    const { agent } = await openSession('v1', { handlers: { requestPermission: () => 'no' } });
    const options = [{ optionId: 'no', name: 'No', kind: 'reject_once' }];
    const answer = await agent.request('session/request_permission', {
      sessionId: 's1',
      toolCall: { toolCallId: 't1', title: 'Edit' },
      options,
    });
    expect(answer.result).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
  });
});

describe('a permission is never granted by accident', () => {
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'too', name: 'Always, too', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];

  function ask(agent: ScriptedAgent, isV1: boolean, offered: object[] = options): Promise<ReceivedMessage> {
    const toolCall = { toolCallId: 't1', title: 'Delete it all' };
    return agent.request('session/request_permission', {
      sessionId: 's1',
      options: offered as never,
      ...(isV1 ? { toolCall } : { title: 'Delete it all?', subject: { type: 'tool_call', toolCall } }),
    });
  }

  const { proxy: withoutText, revoke } = Proxy.revocable({}, {});
  revoke();

  const throwing = (name: string, fields: object): object =>
    Object.defineProperty(fields, name, {
      enumerable: true,
      get() {
        throw withoutText;
      },
    });

  const given = (answer: unknown): ClientHandlers => ({
    requestPermission: () => answer as PermissionOutcome,
  });

  /** What an editor may get wrong. None of it may be a yes. */
  const wrongHandlers: readonly (readonly [string, ClientHandlers])[] = [
    ['no handler', {}],
    [
      'a handler that throws',
      {
        requestPermission: () => {
          throw new Error('broken dialog');
        },
      },
    ],
    ['a handler that rejects', { requestPermission: () => Promise.reject(new Error('broken dialog')) }],
    [
      'a handler that throws a value without a text',
      {
        requestPermission: () => {
          throw Object.create(null);
        },
      },
    ],
    ['a handler that rejects with such a value', { requestPermission: () => Promise.reject(withoutText) }],
    ['an answer whose outcome throws', given(throwing('outcome', { optionId: 'yes' }))],
    ['an answer whose option throws', given(throwing('optionId', { outcome: 'selected' }))],
    ['an answer whose text throws', given(throwing('toString', { outcome: 'allowed' }))],
    ['an answer that is revoked', given(withoutText)],
    ['nothing', given(undefined)],
    ['null', given(null)],
    ['true', given(true)],
    ['the id of no option', given('Yes')],
    ['a kind alone', given('allow_always')],
    ['the id in a list', given(['yes'])],
    ['an option that was not offered', given({ outcome: 'selected', optionId: 'allow_once' })],
    ['a kind in place of an option', given({ outcome: 'selected', optionId: 'allow_always' })],
    ['no option', given({ outcome: 'selected' })],
    ['what every object has', given({ outcome: 'selected', optionId: 'constructor' })],
    ['an unknown outcome', given({ outcome: 'allowed', optionId: 'yes' })],
    ['an option in a list', given({ outcome: 'selected', optionId: ['yes'] })],
  ];

  test('[security: repeated-kinds] choosePermissionOption selects a kind only if exactly one option has it', () => {
    expect(choosePermissionOption(options, 'allow_once')).toEqual({ outcome: 'selected', optionId: 'yes' });
    expect(choosePermissionOption(options, 'allow_always')).toBeUndefined();
    expect(choosePermissionOption(options, 'reject_always')).toBeUndefined();
  });

  test('[security: repeated-ids] choosePermissionOption selects no option whose id another option has', () => {
    const same = [...options, { optionId: 'yes', name: 'Never', kind: 'reject_always' }];
    expect(choosePermissionOption(same, 'allow_once')).toBeUndefined();
    expect(choosePermissionOption(same, 'reject_always')).toBeUndefined();
    expect(choosePermissionOption(same, 'reject_once')).toEqual({ outcome: 'selected', optionId: 'no' });
  });

  describe.each(dialectNames)('a permission in %s', (dialect) => {
    const isV1 = dialect === 'v1';

    test.each(wrongHandlers)('[security: offered-options] is not given by %s', async (_, handlers) => {
      const { agent, diagnostics } = await openSession(dialect, { handlers });
      const { result } = await ask(agent, isV1);
      expect(result).toEqual({ outcome: { outcome: 'cancelled' } });
      const reported = diagnostics.filter(({ rule }) => rule.startsWith('handler.'));
      expect(reported).toHaveLength(1);
    });

    test('without a handler is reported once in a connection, with the name of the handler', async () => {
      const { agent, diagnostics } = await openSession(dialect);
      await ask(agent, isV1);
      await ask(agent, isV1);
      expect(diagnostics).toEqual([
        {
          rule: 'handler.missing',
          severity: 'warning',
          message:
            'The agent asked for permission, and there is no handler requestPermission. The request was answered cancelled, as each further one will be. Pass handlers with requestPermission to connect.',
        },
      ]);
    });

    test('[security: offered-options] is the option that was checked, whatever a getter returns later', async () => {
      const ids = ['no', 'not offered', 'yes'];
      const answer = Object.defineProperty({ outcome: 'selected' }, 'optionId', { get: () => ids.shift() });
      const { agent } = await openSession(dialect, { handlers: given(answer) });
      const { result } = await ask(agent, isV1);
      expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
    });

    test('[security: repeated-ids] a request with options of the same id is reported', async () => {
      const { agent, diagnostics } = await openSession(dialect, {
        handlers: given({ outcome: 'selected', optionId: 'x' }),
      });
      const same = ['allow_once', 'reject_once', 'reject_once'].map((kind) => ({
        optionId: 'x',
        name: kind,
        kind,
      }));
      const { result } = await ask(agent, isV1, same);
      expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'x' } });
      expect(diagnostics.filter(({ rule }) => rule === 'protocol.malformed_request')).toMatchObject([
        {
          severity: 'warning',
          message: expect.stringContaining('several options of the same id: x.'),
          received: expect.stringContaining('reject_once'),
        },
      ]);
    });

    /** What may happen while the dialog is open. */
    const interruptions: readonly (readonly [string, (session: Session, agent: ScriptedAgent) => unknown])[] =
      [
        ['the user cancels', (session) => session.cancel()],
        ['the session is closed', (session) => session.close()],
        ['the tool call ends', (_, agent) => agent.update('s1', toolCallUpdate({ status: 'completed' }))],
      ];

    test.each(interruptions)(
      '[security: late-answer] is not given by an answer after %s',
      async (_, interrupt) => {
        const dialogs: { signal: AbortSignal; answer: (outcome: PermissionOutcome) => void }[] = [];
        const { agent, session } = await openSession(dialect, {
          answers: { 'session/close': {}, 'session/prompt': noAnswer },
          handlers: {
            requestPermission: (_request, { signal }) =>
              new Promise((answer) => {
                dialogs.push({ signal, answer });
              }),
          },
        });
        session.prompt('Go.').catch(() => {});
        const answered = ask(agent, isV1);
        await eventually(() => dialogs.length).toBe(1);
        interrupt(session, agent);
        await eventually(() => dialogs[0]?.signal.aborted).toBe(true);
        dialogs[0]?.answer({ outcome: 'selected', optionId: 'yes' });
        expect((await answered).result).toEqual({ outcome: { outcome: 'cancelled' } });
      },
    );

    test('is not given for a session that is not open', async () => {
      let asked = 0;
      const { agent } = await openSession(dialect, {
        handlers: {
          requestPermission: () => {
            asked++;
            return { outcome: 'selected', optionId: 'yes' };
          },
        },
      });
      const { error } = await agent.request('session/request_permission', {
        sessionId: 'another',
        options,
        toolCall: { toolCallId: 't1' },
        title: 'May I?',
      });
      expect(error?.code).toBe(-32002);
      expect(asked).toBe(0);
    });
  });
});
