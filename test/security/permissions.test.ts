import { describe, expect, test } from 'vitest';
import { chooseOption } from '../../src/client/choose-option.ts';
import type { ClientHandlers, PermissionOutcome } from '../../src/client/handlers.ts';
import type { Session } from '../../src/client/session.ts';
import type { ReceivedMessage, ScriptedAgent } from '../../src/testing/scripted-agent.ts';
import { silence } from '../../src/testing/scripted-agent.ts';
import { dialectNames } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { openSession } from '../support/open-session.ts';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'too', name: 'Always, too', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

function ask(agent: ScriptedAgent, isV1: boolean): Promise<ReceivedMessage> {
  const toolCall = { toolCallId: 't1', title: 'Delete it all' };
  return agent.request('session/request_permission', {
    sessionId: 's1',
    options,
    ...(isV1 ? { toolCall } : { title: 'Delete it all?', subject: { type: 'tool_call', toolCall } }),
  });
}

const given = (answer: unknown): ClientHandlers => ({ requestPermission: () => answer as PermissionOutcome });

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
  ['nothing', given(undefined)],
  ['null', given(null)],
  ['true', given(true)],
  ['the id alone', given('yes')],
  ['an option that was not offered', given({ outcome: 'selected', optionId: 'allow_once' })],
  ['a kind in place of an option', given({ outcome: 'selected', optionId: 'allow_always' })],
  ['no option', given({ outcome: 'selected' })],
  ['what every object has', given({ outcome: 'selected', optionId: 'constructor' })],
  ['an unknown outcome', given({ outcome: 'allowed', optionId: 'yes' })],
  ['an option in a list', given({ outcome: 'selected', optionId: ['yes'] })],
];

test('a kind that is offered twice, or not at all, is no choice', () => {
  expect(chooseOption(options, 'allow_once')).toEqual({ outcome: 'selected', optionId: 'yes' });
  expect(chooseOption(options, 'allow_always')).toBeUndefined();
  expect(chooseOption(options, 'reject_always')).toBeUndefined();
});

describe.each(dialectNames)('a permission in %s', (dialect) => {
  const isV1 = dialect === 'v1';

  test.each(wrongHandlers)('is not given by %s', async (_, handlers) => {
    const { agent } = await openSession(dialect, { handlers });
    const { result } = await ask(agent, isV1);
    expect(result).toEqual({ outcome: { outcome: 'cancelled' } });
  });

  /** What may happen while the dialog is open. */
  const interruptions: readonly (readonly [string, (session: Session, agent: ScriptedAgent) => unknown])[] = [
    ['the user cancels', (session) => session.cancel()],
    ['the session is closed', (session) => session.close()],
    [
      'the tool call ends',
      (_, agent) =>
        agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' }),
    ],
    ['the agent asks anew', (_, agent) => ask(agent, isV1)],
  ];

  test.each(interruptions)('is not given by a yes that comes after %s', async (_, interrupt) => {
    const dialogs: { signal: AbortSignal; answer: (outcome: PermissionOutcome) => void }[] = [];
    const { agent, session } = await openSession(dialect, {
      script: (scripted) => scripted.on('session/close', {}).on('session/prompt', () => silence),
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
