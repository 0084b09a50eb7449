import { describe, expect, test } from 'vitest';
import { choosePermissionOption } from '../../../src/core/client/requests/choose-permission-option.ts';
import type { ClientHandlers, PermissionOutcome } from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { openSession } from '../../support/open-session.ts';
import { permissionParams, toolCallUpdate } from '../../support/updates.ts';

describe('a permission is never granted by accident', () => {
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'too', name: 'Always, too', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];

  const ask = (agent: ScriptedAgent, dialect: DialectName, offered = options, sessionId = 's1') =>
    agent.request('session/request_permission', permissionParams(dialect, { options: offered, sessionId }));

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
    test.each(wrongHandlers)(
      '[39] [security: offered-options] v1, v2, v2-markers is not given by %s',
      async (_, handlers) => {
        const { agent, diagnostics } = await openSession(dialect, { handlers });
        const { result } = await ask(agent, dialect);
        expect(result).toEqual({ outcome: { outcome: 'cancelled' } });
        const reported = diagnostics.filter(({ rule }) => rule.startsWith('handler.'));
        expect(reported).toHaveLength(1);
        if (reported[0]?.rule === 'handler.invalid_answer')
          expect(reported[0].message).toContain('The agent offered yes, always, too, no');
      },
    );

    test('without a handler is reported once in a connection, with the name of the handler', async () => {
      const { agent, diagnostics } = await openSession(dialect);
      await ask(agent, dialect);
      await ask(agent, dialect);
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
      const { result } = await ask(agent, dialect);
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
      const { result } = await ask(agent, dialect, same);
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
        const answered = ask(agent, dialect);
        await eventually(() => dialogs.length).toBe(1);
        interrupt(session, agent);
        await eventually(() => dialogs[0]?.signal.aborted).toBe(true);
        dialogs[0]?.answer({ outcome: 'selected', optionId: 'yes' });
        expect((await answered).result).toEqual({ outcome: { outcome: 'cancelled' } });
      },
    );

    test('a handler that cancels the session, and rejects because of its signal, leaves no request open and is not reported', async () => {
      const requestPermission: ClientHandlers['requestPermission'] = (_, { signal }) =>
        new Promise((_answer, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          void session.cancel();
        });
      const { agent, session, diagnostics } = await openSession(dialect, {
        answers: { 'session/prompt': noAnswer },
        handlers: { requestPermission },
      });
      session.prompt('Go.').catch(() => {});
      expect((await ask(agent, dialect)).result).toEqual({ outcome: { outcome: 'cancelled' } });
      expect(session.conversation.activity.state).toBe(dialect === 'v1' ? 'running' : 'idle');
      expect(diagnostics).toEqual([]);
    });

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
      const { error } = await ask(agent, dialect, options, 'another');
      expect(error?.code).toBe(-32002);
      expect(asked).toBe(0);
    });
  });
});
