import { describe, expect, test } from 'vitest';
import { RemoteError } from '../../../src/core/base/errors.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, refuses } from '../../support/agents.ts';
import { deliver, flush, openSession, outline } from '../../support/open-session.ts';
import { someOf } from '../../support/runs.ts';
import { permissionParams, repeats, says, stateUpdate, toolCall, working } from '../../support/updates.ts';

/** What an agent does with the prompt of this number: an update, or the method and the parameters of a request. */
type Act = (number: number, dialect: DialectName) => object | readonly [method: string, params: object];

/** What an agent can do after a prompt, and whether it has begun with the prompt then. */
const acts: readonly (readonly [what: string, hasBegun: boolean, act: Act])[] = [
  ['text', true, (n) => says('Half.', `m${n}`)],
  ['a thought', true, (n) => ({ ...says('Hm.', `m${n}`), sessionUpdate: 'agent_thought_chunk' })],
  ['a message that cannot be read', true, () => ({ sessionUpdate: 'agent_message_chunk', content: 5 })],
  ['a tool call', true, (n, dialect) => toolCall(dialect, { toolCallId: `t${n}` })],
  [
    'a plan',
    true,
    () => ({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [] } }),
  ],
  ['the prompt again', true, (n, dialect) => repeats('Go.', dialect === 'v1' ? null : `u${n}`)],
  ['an update that is not known', true, () => ({ sessionUpdate: '_x' })],
  ['a running state', true, () => stateUpdate('running')],
  ['a new subagent', true, (n) => ({ sessionUpdate: 'subagent_update', sessionId: `sub${n}` })],
  ['a write', true, () => ['fs/write_text_file', { path: '/a', content: '' }]],
  ['a command', true, () => ['terminal/create', { command: 'make' }]],
  ['a form', true, () => ['elicitation/create', { mode: 'form', message: 'Go?' }]],
  ['an extension request', true, () => ['_x/run', {}]],
  ['a permission', true, (_, dialect) => ['session/request_permission', permissionParams(dialect)]],
  ['commands', false, () => ({ sessionUpdate: 'available_commands_update', availableCommands: [] })],
  ['settings', false, () => ({ sessionUpdate: 'config_option_update', configOptions: [] })],
  ['a title', false, () => ({ sessionUpdate: 'session_info_update', title: 'T' })],
  ['usage', false, () => ({ sessionUpdate: 'usage_update', used: 1, size: 2 })],
  ['a notice', false, () => ({ sessionUpdate: 'notice', severity: 'info', title: 'Soon' })],
];

async function perform(agent: ScriptedAgent, act: ReturnType<Act>): Promise<void> {
  if (!Array.isArray(act)) return agent.update('s1', act);
  // Some dialects do not have the request: that the agent makes it says enough.
  const [method, params] = act;
  await agent.request(method, { sessionId: 's1', ...params });
}

/** How a prompt is sent while nothing runs. */
const ways: readonly ((session: Session) => Promise<unknown>)[] = [
  (session) => session.prompt('Go.'),
  (session) => session.queue('Go.'),
  (session) => session.steer('Go.').then(async (sent) => 'turn' in sent && sent.turn),
];

describe.each(dialectNames)('in %s, a prompt that fails after', (dialect) => {
  test.each(acts)('%s: begun is %s', async (_what, hasBegun, act) => {
    let code = 0;
    let hasLogin = false;
    const { agent, session, conversation } = await openSession(dialect, {
      handlers: { requestPermission: () => 'yes', writeTextFile: () => {} },
      connect: {
        onAuthRequired: () =>
          hasLogin ? undefined : Promise.reject(new RemoteError('Later.', { rpcCode: 1 })),
      },
      answers: {
        'session/prompt': async (_, by) => {
          if (dialect !== 'v1') by.update('s1', stateUpdate('idle'));
          await perform(by, act(by.calls('session/prompt').length, dialect));
          throw new RequestError(code, 'No.');
        },
      },
    });
    for (code of someOf([-32000, -32002, -32600, -32601, -32603, -32602])) {
      for (const send of ways) {
        hasLogin = !hasLogin;
        const before = agent.calls('session/prompt').length;
        const shown = outline(conversation()).length;
        const error = await send(session).catch((reason: unknown) => reason);
        if (dialect !== 'v1') agent.update('s1', stateUpdate('idle'));
        await flush(agent);
        const isKept = hasBegun || (dialect === 'v1' && code === -32603);
        const isAgain = code === -32000 && !isKept;
        expect(error).toMatchObject(
          isAgain && !hasLogin ? { rpcCode: 1 } : { rpcCode: code, promptAccepted: isKept },
        );
        expect(agent.calls('session/prompt').length - before).toBe(isAgain && hasLogin ? 2 : 1);
        const added = outline(conversation()).slice(shown);
        expect([added[0], added.at(-1)]).toEqual(
          isKept ? ['user: Go.', 'failed: No.'] : [undefined, undefined],
        );
      }
    }
  });
});

const refusal = refuses(-32000, 'Log in.');

describe.each(dialectNames)('in %s', (dialect) => {
  test('a prompt is not sent again if the agent shows during the login that it has begun', async () => {
    const { agent, session, conversation } = await openSession(dialect, {
      answers: { 'session/prompt': refusal },
      connect: {
        onAuthRequired: () => {
          agent.update('s1', says('Half.', 'm1'));
          return flush(agent);
        },
      },
    });
    await expect(session.prompt('Go.')).rejects.toMatchObject({ rpcCode: -32000, promptAccepted: true });
    expect(agent.calls('session/prompt')).toHaveLength(1);
    expect(outline(conversation())).toEqual(['user: Go.', 'agent: Half.', 'failed: Log in.']);
  });

  test.each([false, true])(
    'a steered message is sent again unless the agent reported it: %s',
    async (isReported) => {
      const steering = dialect === 'v1' ? '_session/steering' : 'session/inject';
      const refuse = (_: unknown, by: ScriptedAgent) => {
        if (isReported) by.update('s1', says('Half.', 'm1'), repeats('Stop.', 'u9'));
        return refusal();
      };
      const { agent, session, conversation } = await openSession(dialect, {
        connect: { onAuthRequired: () => {} },
        answers: { [steering]: refuse },
        script: working(dialect),
      });
      session.prompt('Go.').catch(() => {});
      await agent.called('session/prompt');
      await deliver(agent, repeats('Go.', 'u1'));
      await expect(session.steer('Stop.')).rejects.toMatchObject({ promptAccepted: isReported });
      expect(agent.calls(steering)).toHaveLength(isReported ? 1 : 2);
      expect(outline(conversation()).includes('user: Stop.')).toBe(isReported);
    },
  );
});

test('what the agent does while several prompts are open is about the oldest', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    connect: { onAuthRequired: () => {} },
    answers: { 'session/prompt': noAnswer },
  });
  const fail = (time: number) => {
    const id = agent.calls('session/prompt')[time - 1]?.id ?? '';
    agent.channel.send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Log in.' } });
  };
  const [first, second] = [session.prompt('One.'), session.prompt('Two.')];
  await agent.called('session/prompt', 2);
  agent.update('s1', says('Half.', 'm1'));
  fail(2);
  await agent.called('session/prompt', 3);
  fail(1);
  fail(3);
  await expect(first).rejects.toMatchObject({ promptAccepted: true });
  await expect(second).rejects.toMatchObject({ promptAccepted: false });
  expect(outline(conversation())).toEqual(['user: One.', 'agent: Half.', 'failed: Log in.']);
});

const background = [
  { type: 'terminal', terminalId: 'd1' },
  { type: 'tool_call', toolCallId: 't1' },
  { type: 'subagent', sessionId: 'sub1' },
];

test.each<[of: string, isListed: boolean]>([
  ['background work', true],
  ['other work', false],
])('updates and requests of %s are not about a prompt: %s', async (_, isListed) => {
  const works: ((by: ScriptedAgent) => unknown)[] = [
    (by) => by.update('s1', { sessionUpdate: 'terminal_output_chunk', terminalId: 'd1', data: 'aGk=' }),
    (by) => by.update('s1', toolCall('v2-baseline')),
    (by) =>
      by.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'sub1', state: { state: 'running' } }),
    (by) => by.request('session/request_permission', permissionParams('v2-baseline')),
    (by) => by.request('_x/ask', { sessionId: 'sub1' }),
  ];
  const { agent, session } = await openSession('v2-baseline', {
    handlers: { requestPermission: () => 'yes' },
  });
  agent.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'sub1' });
  await deliver(agent, stateUpdate('idle', { background: isListed ? background : [] }));
  for (const work of works) {
    agent.on('session/prompt', async (_, by) => {
      await work(by);
      return refusal();
    });
    await expect(session.prompt('Go.')).rejects.toMatchObject({ promptAccepted: !isListed });
  }
});
