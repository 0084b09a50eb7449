import { describe, expect, test } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import type { ReconnectOptions } from '../../../src/core/client/reconnect.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, refuses, text } from '../../support/agents.ts';
import { cwd, messages, openSession } from '../../support/open-session.ts';
import { connectRestarting, type Restarting, reaches } from '../../support/restarting-agent.ts';

const reconnect = { firstDelayMs: 1, maxDelayMs: 5 };
const idle = { sessionUpdate: 'state_update', state: 'idle' };
const running = { sessionUpdate: 'state_update', state: 'running' };
const asked = { sessionUpdate: 'user_message', messageId: 'u1', content: [text('Deploy.')] };
const done = { sessionUpdate: 'agent_message', messageId: 'a1', content: [text('Deployed.')] };
const complete = { sessionUpdate: 'replay_complete' };

interface Play {
  readonly options?: ReconnectOptions;
  /** What the first agent does with the prompt before it ends. */
  readonly first?: (agent: ScriptedAgent) => unknown;
  /** What the second agent sends before the session is open again. */
  readonly replay?: readonly object[];
  /** What the second agent answers to a prompt. */
  readonly again?: (agent: ScriptedAgent) => unknown;
  readonly isRemote?: boolean;
  readonly stallAfterMs?: number;
}

/** A session whose agent ends during a prompt, and is started again. */
async function cut({ options, first, replay = [], again, isRemote = false, ...limits }: Play) {
  const restarting = await connectRestarting(
    (agent, run) => {
      Object.assign(agent.transport, { isRemote });
      agent.on('initialize', everything['v2-baseline']).on('session/resume', () => {
        agent.update('s1', ...replay);
        return {};
      });
      if (run > 0) agent.on('session/prompt', () => again?.(agent) ?? noAnswer);
      else {
        agent.on('session/prompt', async () => {
          const answer = await first?.(agent);
          setImmediate(() => agent.channel.exit({ exitCode: 1 }));
          return answer ?? noAnswer;
        });
      }
    },
    { reconnect: { ...reconnect, ...options }, ...limits },
  );
  const session = await restarting.connection.newSession({ cwd });
  return { ...restarting, session };
}

const prompts = ({ agents }: Pick<Restarting, 'agents'>) =>
  agents.flatMap((agent) => agent.calls('session/prompt').map(({ params }) => params));
const shown = ({ session }: Awaited<ReturnType<typeof cut>>) =>
  messages(session.conversation).map(({ role, messageId }) => `${role} ${messageId}`);

describe('a prompt whose agent ended', () => {
  test.each<[string, Play, object, number]>([
    [
      'is sent again with its key, if a replay has been marked as complete',
      { replay: [complete, idle] },
      {},
      2,
    ],
    ['is not sent again without such a mark', { replay: [idle] }, { code: 'connection.closed' }, 1],
    [
      'is sent again to any agent with always',
      { options: { resendPrompts: 'always' }, replay: [idle] },
      {},
      2,
    ],
    [
      'is not sent again if the agent had reported it, and goes on',
      { first: (agent) => agent.update('s1', asked), replay: [complete, running, done, idle] },
      { messageId: 'u1' },
      1,
    ],
    [
      'ends with the reason of the state, if the agent had accepted it',
      { first: () => ({ messageId: 'u1' }), replay: [{ ...idle, stopReason: 'refusal' }] },
      { stopReason: 'refusal', messageId: 'u1' },
      1,
    ],
    [
      'rejects if a program of this machine had accepted it and does nothing',
      { first: () => ({ messageId: 'u1' }), replay: [idle] },
      { code: 'connection.closed', promptAccepted: true },
      1,
    ],
    [
      'ends if an agent behind a network had accepted it and is idle',
      { first: () => ({ messageId: 'u1' }), replay: [complete, idle], isRemote: true },
      { stopReason: null, messageId: 'u1' },
      1,
    ],
  ])('%s', async (_, play, expected, sends) => {
    const answers = (agent: ScriptedAgent) => {
      setImmediate(() => agent.update('s1', asked, running, done, { ...idle, stopReason: 'end_turn' }));
      return { messageId: 'u1' };
    };
    const place = await cut({ again: answers, ...play });
    const turn = place.session.prompt('Deploy.');
    const opened = reaches(place.connection, 'open');
    const outcome = await turn.catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected);
    await opened;
    expect(prompts(place)).toHaveLength(sends);
    const [sent, ...others] = prompts(place);
    for (const other of others) expect(other).toEqual(sent);
    expect(sent).toMatchObject({ idempotencyKey: turn.idempotencyKey });
    expect(shown(place).filter((line) => line.startsWith('user'))).toHaveLength(1);
  });

  test('rejects at once with never, and is not sent again', async () => {
    const options = { resendPrompts: 'never', firstDelayMs: 600_000, maxDelayMs: 600_000 } as const;
    const place = await cut({ options, replay: [complete, idle] });
    const rejection = { code: 'connection.closed', promptAccepted: false };
    await expect(place.session.prompt('Deploy.')).rejects.toMatchObject(rejection);
    const { reconnection, state } = place.connection;
    expect(state).toBe('reconnecting');
    reconnection.retryNow();
    await place.connection.ready;
    expect(prompts(place)).toHaveLength(1);
  });

  test('goes on with an agent that works, without a second prompt', async () => {
    const place = await cut({ replay: [running], isRemote: true });
    const turn = place.session.prompt('Deploy.');
    await reaches(place.connection, 'open');
    place.agents[1]?.update('s1', done, { ...idle, stopReason: 'end_turn' });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(prompts(place)).toHaveLength(1);
  });

  test.each<[string, (place: Awaited<ReturnType<typeof cut>>, control: AbortController) => unknown, unknown]>(
    [
      ['is cancelled by the user meanwhile', ({ session }) => session.cancel(), { stopReason: 'cancelled' }],
      ['is aborted meanwhile', (_, control) => control.abort('enough'), 'enough'],
      ['is closed with its session meanwhile', ({ session }) => session.close(), { stopReason: 'cancelled' }],
      ['ends with the connection', ({ connection }) => connection.close(), { code: 'connection.closed' }],
    ],
  )('is not sent again if it %s', async (_, act, expected) => {
    const place = await cut({ replay: [complete, idle] });
    const control = new AbortController();
    const turn = place.session.prompt('Deploy.', { signal: control.signal });
    const outcome = turn.catch((error: unknown) => error);
    await reaches(place.connection, 'reconnecting');
    await act(place, control);
    if (typeof expected === 'string') expect(await outcome).toBe(expected);
    else expect(await outcome).toMatchObject(expected as object);
    if (place.connection.state !== 'closed') await place.connection.ready;
    expect(prompts(place)).toHaveLength(1);
  });

  test('is not held if the user had cancelled it', async () => {
    const end = deferred();
    const place = await cut({
      options: { resendPrompts: 'always' },
      replay: [idle],
      first: () => end.promise,
    });
    const turn = place.session.prompt('Deploy.');
    await place.agents[0]?.called('session/prompt');
    await place.session.cancel();
    end.resolve();
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    await place.connection.ready;
    expect(prompts(place)).toHaveLength(1);
  });

  test('rejects when its limit is over and the agent is not back', async () => {
    const place = await cut({ options: { firstDelayMs: 60_000, maxDelayMs: 60_000 } });
    const turn = place.session.prompt('Deploy.', { timeoutMs: 40 });
    await expect(turn).rejects.toMatchObject({ code: 'timeout', method: 'session/prompt' });
    expect(prompts(place)).toHaveLength(1);
  });

  test('ends when the agent is silent, if it answers with a message that no replay has', async () => {
    const place = await cut({
      replay: [complete, { ...idle, stopReason: 'end_turn' }],
      again: () => ({ messageId: 'u9' }),
      stallAfterMs: 20,
    });
    const turn = await place.session.prompt('Deploy.');
    expect(turn).toMatchObject({ stopReason: 'end_turn', messageId: 'u9' });
    expect(prompts(place)).toHaveLength(2);
  });

  test('is one entry, and over at once, if the agent answers with a message that the replay has', async () => {
    const place = await cut({
      replay: [{ ...asked, content: [text('Deploy!')] }, done, complete, idle],
      again: () => ({ messageId: 'u1' }),
    });
    expect(await place.session.prompt('Deploy.')).toMatchObject({ stopReason: null, messageId: 'u1' });
    expect(shown(place)).toEqual(['user u1', 'agent a1']);
  });

  test('is not in the transcript if the agent refuses it when it comes again', async () => {
    const place = await cut({ replay: [complete, idle], again: refuses(-32602, 'No.') });
    await expect(place.session.prompt('Deploy.')).rejects.toMatchObject({ promptAccepted: false });
    expect(prompts(place)).toHaveLength(2);
    expect(shown(place)).toEqual([]);
  });
});

describe('the key of a prompt', () => {
  test('is random for each prompt of version 2, or that of the caller', async () => {
    const { agent, session } = await openSession('v2-baseline');
    agent.on('session/prompt', () => noAnswer);
    const turns = [session.prompt('One.'), session.prompt('Two.'), session.queue('Three.')];
    const own = session.prompt('Four.', { idempotencyKey: 'mine' });
    for (const turn of [...turns, own]) turn.catch(() => {});
    await agent.called('session/prompt', 3);
    const keys = turns.map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys).size).toBe(3);
    expect(own.idempotencyKey).toBe('mine');
    const sent = agent.calls('session/prompt').map(({ params }) => params?.['idempotencyKey']);
    expect(sent).toEqual([keys[0], keys[1], 'mine']);
  });

  test('is not sent in version 1', async () => {
    const { agent, session } = await openSession('v1');
    agent.on('session/prompt', () => ({ stopReason: 'end_turn' }));
    const turn = session.prompt('One.', { idempotencyKey: 'mine' });
    await turn;
    expect(turn.idempotencyKey).toBeNull();
    expect(agent.calls('session/prompt')[0]?.params).not.toHaveProperty('idempotencyKey');
  });

  test.each([
    ['empty', { idempotencyKey: '' }],
    ['a parameter that is added', { extraParams: { idempotencyKey: 'k' } }],
  ])('is refused if it is %s', async (_, options) => {
    const { agent, session } = await openSession('v2-baseline');
    await expect(session.prompt('One.', options)).rejects.toMatchObject({ code: 'usage.params' });
    expect(agent.calls('session/prompt')).toHaveLength(0);
  });

  test('that comes again binds the prompt to the message that the agent has, which ends it', async () => {
    const { agent, diagnostics, session } = await openSession('v2-baseline');
    agent.on('session/prompt', () => ({ messageId: 'u1' }));
    const first = session.prompt('Deploy.', { idempotencyKey: 'mine' });
    await first.accepted;
    agent.update('s1', asked, running, done, { ...idle, stopReason: 'end_turn' });
    await first;
    const second = await session.prompt('Deploy.', { idempotencyKey: 'mine' });
    expect(second).toMatchObject({ messageId: 'u1', stopReason: 'end_turn' });
    expect(messages(session.conversation).map(({ role, messageId }) => `${role} ${messageId}`)).toEqual([
      'user u1',
      'agent a1',
    ]);
    expect(diagnostics.map(({ rule }) => rule)).not.toContain('protocol.duplicate_message_id');
  });
});
