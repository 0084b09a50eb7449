import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuthRequiredError } from '../../../src/base/errors.ts';
import type { CallOptions } from '../../../src/client/calls/call-options.ts';
import { foldUpdate } from '../../../src/conversation/fold.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent, updateMessage } from '../../../src/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, refuses, settle, text } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, messages, openSession, outline } from '../../support/open-session.ts';

describe('the end of turns', () => {
  const cwd = '/home/user/project';

  const opened = (script: (agent: ScriptedAgent) => unknown) => (agent: ScriptedAgent) => {
    agent.on('session/new', { sessionId: 's1' });
    script(agent);
  };

  const state = (state: string, fields: object = {}) => ({ sessionUpdate: 'state_update', state, ...fields });
  const refusal = { optionId: 'no', name: 'No', kind: 'reject_once' };

  describe('the end of turns in version 1', () => {
    test.each([-32603, 400, -32000])(
      '[agents: errors-of-the-model] a failed turn rejects with the code %s of the agent',
      async (code) => {
        const { session } = await openSession('v1', {
          answers: { 'session/prompt': refuses(code, 'mock error') },
        });
        await expect(session.prompt('Fail.')).rejects.toMatchObject({ rpcCode: code });
        expect(session.conversation.activity.state).toBe('idle');
      },
    );

    test.each([{}, { data: { wait: 1 } }])(
      'a failed turn leaves the words of the agent in the transcript and in the activity (%j)',
      async (fields) => {
        const { session } = await openSession('v1', {
          answers: { 'session/prompt': refuses(-32603, 'mock error', ...Object.values(fields)) },
        });
        await expect(session.prompt('Fail.')).rejects.toMatchObject({
          message: expect.stringContaining('session/prompt'),
          agentMessage: 'mock error',
        });
        expect(outline(session.conversation)).toEqual(['user: Fail.', 'failed: mock error']);
        const error = { code: -32603, message: 'mock error', ...fields };
        const activity = { state: 'idle', stopReason: 'error', error };
        expect(JSON.stringify(session.conversation.activity)).toBe(JSON.stringify(activity));
      },
    );

    test.each([-32000, -32600, -32602, -32601, -32002])(
      'a prompt that the agent refuses with the code %s leaves the conversation',
      async (code) => {
        const { session } = await openSession('v1', {
          answers: { 'session/prompt': refuses(code, 'mock error') },
        });
        await expect(session.prompt('Fail.')).rejects.toMatchObject({ promptAccepted: false });
        expect(session.conversation.entries).toEqual([]);
      },
    );

    test('[agents: failure-as-text] a failed turn that the agent ends with end_turn resolves', async () => {
      let said = 'API error: 400';
      const { session } = await openSession('v1', {
        script: (agent) =>
          agent.on('session/prompt', (_params, agent) => {
            if (said) agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text(said) });
            return { stopReason: 'end_turn' };
          }),
      });
      expect(await session.prompt('Fail.')).toMatchObject({ stopReason: 'end_turn' });
      said = '';
      expect(await session.prompt('Fail.')).toMatchObject({ stopReason: 'end_turn' });
      expect(session.conversation.entries).toHaveLength(3);
    });

    test('[agents: second-prompt-queued] a second prompt is sent while the first runs, and each ends with its own answer', async () => {
      const { agent, session } = await openSession('v1', { answers: { 'session/prompt': noAnswer } });
      const [first, second] = [session.prompt('One.'), session.prompt('Two.')];
      const [one, two] = [await agent.called('session/prompt'), await agent.called('session/prompt', 2)];
      agent.answer(two.id ?? '', { stopReason: 'end_turn' });
      expect(await second).toMatchObject({ stopReason: 'end_turn' });
      expect(session.conversation.activity.state).toBe('running');
      agent.answer(one.id ?? '', { stopReason: 'cancelled' });
      expect(await first).toMatchObject({ stopReason: 'cancelled' });
      expect(session.conversation.activity.state).toBe('idle');
    });

    test('[agents: second-prompt-aborts] a first prompt that is refused because of the second does not affect the second', async () => {
      let answerFirst = (_error: RequestError) => {};
      const { session } = await openSession('v1', {
        script: (agent) =>
          agent.on('session/prompt', ({ prompt }) =>
            JSON.stringify(prompt).includes('One')
              ? new Promise((_resolve, reject) => {
                  answerFirst = reject;
                })
              : { stopReason: 'end_turn' },
          ),
      });
      const first = session.prompt('One.');
      expect(await session.prompt('Two.')).toMatchObject({ stopReason: 'end_turn' });
      answerFirst(new RequestError(-32603, 'aborted'));
      await expect(first).rejects.toMatchObject({ rpcCode: -32603 });
      expect(session.conversation.activity.state).toBe('idle');
    });

    test('[agents: prompt-never-answered] a prompt that is never answered ends with its session or the connection', async () => {
      const { agent, connection } = await connectTo(everything.v1, {
        answers: {
          'session/new': (_, agent) => ({ sessionId: `s${agent.calls('session/new').length}` }),
          'session/prompt': noAnswer,
          'session/close': {},
        },
      });
      const [one, two] = [await connection.newSession({ cwd }), await connection.newSession({ cwd })];
      const [first, second] = [one.prompt('One.'), two.prompt('Two.')];
      await agent.called('session/prompt', 2);
      await one.close();
      expect(await first).toMatchObject({ stopReason: 'cancelled' });
      await connection.close();
      await expect(second).rejects.toMatchObject({ code: 'connection.closed' });
      expect(two.conversation.activity.state).toBe('idle');
    });

    test('a prompt that is aborted while the login dialog is open is not sent after the login', async () => {
      let finishLogin = () => {};
      const loggedIn = new Promise<void>((resolve) => {
        finishLogin = resolve;
      });
      const { agent, session } = await openSession('v1', {
        answers: { 'session/prompt': refuses(-32000, 'Log in first.') },
        connect: { onAuthRequired: () => loggedIn },
      });
      const user = new AbortController();
      const turn = session.prompt('Go.', { signal: user.signal }).catch((reason: unknown) => reason);
      await settle();
      user.abort('enough');
      expect(await turn).toBe('enough');
      finishLogin();
      await settle();
      expect(agent.calls('session/prompt')).toHaveLength(1);
      expect(session.conversation.activity.state).toBe('idle');
    });

    test('[agents: cancel-request-ignored] an aborted prompt rejects at once, and sends both kinds of cancellation', async () => {
      const { agent, session } = await openSession('v1', { answers: { 'session/prompt': noAnswer } });
      const user = new AbortController();
      const turn = session.prompt('One.', { signal: user.signal });
      const { id } = await agent.called('session/prompt');
      user.abort('enough');
      await expect(turn).rejects.toBe('enough');
      await agent.called('session/cancel');
      expect(agent.calls('$/cancel_request').map(({ params }) => params)).toEqual([{ requestId: id }]);
      // The agent ends the turn in its own time, and the session is at rest only then.
      expect(session.conversation.activity.state).toBe('running');
      agent.answer(id ?? '', { stopReason: 'cancelled' });
      await settle();
      expect(session.conversation.activity.state).toBe('idle');
    });

    test.each(['cancelled', 'end_turn'])(
      '[agents: refusal-ends-turn] a turn that ends with %s after a refused permission leaves no tool call open',
      async (stopReason) => {
        const { session } = await openSession('v1', {
          script: (agent) =>
            agent.on('session/prompt', async (_params, agent) => {
              const toolCall = { toolCallId: 't1', title: 'Write', status: 'pending' };
              agent.update('s1', { sessionUpdate: 'tool_call', ...toolCall });
              await agent.request('session/request_permission', {
                sessionId: 's1',
                toolCall,
                options: [refusal],
              });
              return { stopReason };
            }),
          handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'no' }) },
        });
        expect(await session.prompt('Write.')).toMatchObject({ stopReason });
        expect(session.conversation.entries[1]).toMatchObject({
          status: 'cancelled',
          permission: null,
        });
      },
    );
  });

  describe('the end of turns in version 2', () => {
    const running = (perform: (agent: ScriptedAgent) => unknown) => ({
      script: opened((agent) =>
        agent.on('session/prompt', async (_params, agent) => {
          agent.update('s1', state('running'));
          agent.update('s1', { sessionUpdate: 'user_message', messageId: 'u1', content: [text('Go.')] });
          setImmediate(() => perform(agent));
          return { messageId: 'u1' };
        }),
      ),
      handlers: { requestPermission: () => ({ outcome: 'selected' as const, optionId: 'no' }) },
    });

    test('[agents: left-open] a turn that the agent cancels after a refusal leaves no tool call open', async () => {
      const { connection } = await connectTo(
        everything['v2-baseline'],
        running(async (agent) => {
          const toolCall = { toolCallId: 't1', title: 'Write', status: 'pending' };
          agent.update('s1', { sessionUpdate: 'tool_call_update', ...toolCall, status: 'in_progress' });
          await agent.request('session/request_permission', {
            sessionId: 's1',
            title: 'Write?',
            subject: { type: 'tool_call', toolCall },
            options: [refusal],
          });
          agent.update('s1', state('idle', { stopReason: 'cancelled' }));
        }),
      );
      const session = await connection.newSession({ cwd });
      expect(await session.prompt('Go.')).toMatchObject({ stopReason: 'cancelled' });
      expect(session.conversation.entries).toMatchObject([
        { role: 'user' },
        { kind: 'toolCall', status: 'cancelled', permission: null },
      ]);
    });

    test('prompts that are answered without an id and reported later are in the transcript once', async () => {
      const { agent, session } = await openSession('v2-baseline', {
        answers: { 'session/prompt': {} },
      });
      for (const said of ['One.', 'Two.']) session.prompt(said).catch(() => {});
      await agent.called('session/prompt', 2);
      await flush(agent);
      agent.update('s1', { sessionUpdate: 'user_message', messageId: 'u1', content: [text('One!')] });
      agent.update('s1', { sessionUpdate: 'user_message', messageId: 'u2', content: [text('Two!')] });
      await flush(agent);
      expect(outline(session.conversation)).toEqual(['user: One!', 'user: Two!']);
    });

    test('background work is not cancelled with the turn', async () => {
      const background = [{ type: 'tool_call', toolCallId: 't1' }];
      const { connection } = await connectTo(
        everything['v2-baseline'],
        running((agent) =>
          agent.update(
            's1',
            { sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'Serve', status: 'in_progress' },
            { sessionUpdate: 'tool_call_update', toolCallId: 't2', title: 'Wait', status: 'in_progress' },
            state('idle', { stopReason: 'cancelled', background }),
          ),
        ),
      );
      const session = await connection.newSession({ cwd });
      await session.prompt('Go.');
      expect(session.conversation.entries.slice(1)).toMatchObject([
        { toolCallId: 't1', status: 'in_progress' },
        { toolCallId: 't2', status: 'cancelled' },
      ]);
      await connection.close();
      expect(session.conversation.entries[1]).toMatchObject({ status: 'cancelled' });
    });

    test('an exit during a turn leaves no session running', async () => {
      const { connection } = await connectTo(
        everything['v2-baseline'],
        running((agent) => {
          agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' });
          agent.channel.end();
        }),
      );
      const session = await connection.newSession({ cwd });
      await expect(session.prompt('Go.')).rejects.toMatchObject({ code: 'connection.closed' });
      expect(session.conversation).toMatchObject({
        activity: { state: 'idle', stopReason: null },
        entries: [
          { role: 'user' },
          { status: 'cancelled' },
          {
            kind: 'turnFailure',
            cause: 'interrupted',
            reason: 'scripted closed the connection.',
            code: null,
          },
        ],
      });
    });

    test('a closed session keeps the stop reason of its last turn', async () => {
      const { connection } = await connectTo(everything['v2-baseline'], {
        ...running((agent) => agent.update('s1', state('idle', { stopReason: 'max_tokens' }))),
      });
      const session = await connection.newSession({ cwd });
      await session.prompt('Go.');
      await connection.close();
      expect(session.conversation.activity).toEqual({
        state: 'idle',
        stopReason: 'max_tokens',
      });
    });

    test('[agents: failure-as-stop-reason] a turn that ends with the stop reason error rejects with the error', async () => {
      const error = { code: -32603, message: 'Internal error', data: { details: 'mock error' } };
      const { connection } = await connectTo(
        everything['v2-baseline'],
        running((agent) => agent.update('s1', state('idle', { stopReason: 'error', error }))),
      );
      const session = await connection.newSession({ cwd });
      await expect(session.prompt('Go.')).rejects.toMatchObject({
        code: 'remote',
        rpcCode: -32603,
        agentMessage: 'Internal error: mock error',
        data: { details: 'mock error' },
        promptAccepted: true,
      });
      expect(session.conversation).toMatchObject({
        activity: { state: 'idle', error: { ...error, message: 'Internal error: mock error' } },
        entries: [
          { role: 'user' },
          { kind: 'turnFailure', cause: 'failed', reason: 'Internal error: mock error', code: -32603 },
        ],
      });
    });

    test('a turn that fails for the lack of a login asks the user to log in, and is not sent again', async () => {
      const error = { code: -32000, message: 'Log in first.' };
      let asked = 0;
      const { agent, connection } = await connectTo(everything['v2-baseline'], {
        ...running((agent) => agent.update('s1', state('idle', { stopReason: 'error', error }))),
        onAuthRequired: ({ method }) => {
          expect(method).toBe('session/prompt');
          asked++;
        },
      });
      const session = await connection.newSession({ cwd });
      const failure = await session.prompt('Go.').catch((reason: unknown) => reason);
      expect(failure).toBeInstanceOf(AuthRequiredError);
      expect(failure).toMatchObject({ code: 'remote.auth_required', promptAccepted: true });
      expect(asked).toBe(1);
      expect(agent.calls('session/prompt')).toHaveLength(1);
    });

    describe('a turn that failed while the login dialog is open', () => {
      beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
      afterEach(() => void vi.useRealTimers());

      /** The turn fails for the lack of a login, and the user leaves the dialog open. */
      async function failed(options: CallOptions) {
        const error = { code: -32000, message: 'Log in first.' };
        let asked = 0;
        const { agent, connection } = await connectTo(everything['v2-baseline'], {
          ...running((agent) => agent.update('s1', state('idle', { stopReason: 'error', error }))),
          onAuthRequired: () => {
            asked++;
            return new Promise<void>(() => {});
          },
        });
        const session = await connection.newSession({ cwd });
        const turn = session.prompt('Go.', options).catch((reason: unknown) => reason);
        await settle();
        expect(asked).toBe(1);
        expect(await Promise.race([turn, 'waits'])).toBe('waits');
        return { agent, session, turn };
      }

      test('[reliability: login-limits] rejects when its signal is aborted, and cancels no later turn', async () => {
        const user = new AbortController();
        const { agent, turn } = await failed({ signal: user.signal });
        user.abort('enough');
        expect(await turn).toBe('enough');
        await settle();
        expect(agent.calls('session/cancel')).toEqual([]);
      });

      test('rejects with its error when its time is up', async () => {
        const { turn } = await failed({ timeoutMs: 500 });
        vi.advanceTimersByTime(500);
        expect(await turn).toMatchObject({ code: 'remote.auth_required', promptAccepted: true });
      });
    });

    test('a turn of a prompt that onAuthRequired sends does not wait for the login', async () => {
      const error = { code: -32000, message: 'Log in first.' };
      const inner: unknown[] = [];
      const { connection } = await connectTo(everything['v2-baseline'], {
        ...running((agent) => agent.update('s1', state('idle', { stopReason: 'error', error }))),
        onAuthRequired: async () => {
          inner.push(await session.prompt('Am I logged in?').catch((reason: unknown) => reason));
        },
      });
      const session = await connection.newSession({ cwd });
      await expect(session.prompt('Go.')).rejects.toMatchObject({ code: 'remote.auth_required' });
      expect(inner).toMatchObject([{ code: 'remote.auth_required' }]);
    });

    test('a failed turn without an error rejects as well', async () => {
      const { connection } = await connectTo(
        everything['v2-baseline'],
        running((agent) => agent.update('s1', state('idle', { stopReason: 'error' }))),
      );
      const session = await connection.newSession({ cwd });
      const turn = session.prompt('Go.');
      expect(await turn.accepted).toEqual({ messageId: 'u1' });
      await expect(turn).rejects.toMatchObject({
        code: 'remote',
        rpcCode: -32603,
        promptAccepted: true,
      });
    });

    test('a turn ends with the idle state even if the prompt is never answered', async () => {
      const { session } = await openSession('v2-baseline', {
        script: (agent) =>
          agent.on('session/prompt', (_params, agent) => {
            agent.update(
              's1',
              state('running'),
              { sessionUpdate: 'agent_message', messageId: 'm1', content: [text('Done.')] },
              state('idle', { stopReason: 'end_turn' }),
            );
            return noAnswer;
          }),
      });
      const turn = session.prompt('Go.');
      expect(await turn).toEqual({ stopReason: 'end_turn', messageId: null });
      expect(await turn.accepted).toEqual({ messageId: null });
      expect(session.conversation.entries).toMatchObject([
        { role: 'user', origin: 'live' },
        { role: 'agent' },
      ]);
    });

    test.each([
      ['the echo, the receipt, then running', ['echo', 'receipt', 'running']],
      ['running, the echo, then the receipt', ['running', 'echo', 'receipt']],
      ['the receipt, running, then the echo', ['receipt', 'running', 'echo']],
    ])('[agents: echo-before-receipt] a prompt is one message and one turn: %s', async (_name, order) => {
      const { session } = await openSession('v2-baseline', {
        script: (agent) =>
          agent.on('session/prompt', (_params, agent, id) => {
            const steps: Record<string, () => void> = {
              echo: () =>
                agent.update('s1', {
                  sessionUpdate: 'user_message_chunk',
                  messageId: 'u1',
                  content: text('Go.'),
                }),
              receipt: () => agent.answer(id, { messageId: 'u1' }),
              running: () => agent.update('s1', state('running')),
            };
            for (const step of order) steps[step]?.();
            agent.update('s1', state('idle', { stopReason: 'end_turn' }));
            return noAnswer;
          }),
      });
      expect(await session.prompt('Go.')).toEqual({ stopReason: 'end_turn', messageId: 'u1' });
      expect(session.conversation.entries).toMatchObject([
        { role: 'user', messageId: 'u1', content: [text('Go.')], origin: 'live' },
      ]);
    });

    test('[agents: held-prompt-cancelled] a prompt that is answered -32800 is removed from the conversation', async () => {
      const { agent, session } = await openSession('v2-baseline', {
        script: (agent) =>
          agent.on('session/prompt', (_params, agent) =>
            agent.calls('session/prompt').length > 1 ? noAnswer : { messageId: 'u1' },
          ),
      });
      const first = session.prompt('One.');
      await first.accepted;
      agent.update('s1', state('running'));
      const second = session.prompt('Two.');
      const { id = '' } = await agent.called('session/prompt', 2);
      await session.cancel();
      agent.channel.send({ jsonrpc: '2.0', id, error: { code: -32800, message: 'Request cancelled' } });
      agent.update('s1', state('idle', { stopReason: 'cancelled' }));
      await expect(second).rejects.toMatchObject({ code: 'remote.cancelled' });
      expect(await first).toMatchObject({ stopReason: 'cancelled' });
      expect(session.conversation.entries).toMatchObject([{ content: [text('One.')] }]);
    });
  });
});

describe.each(dialectNames)('the usage of a turn, in %s', (dialect) => {
  const usage = { totalTokens: 120, inputTokens: 100, outputTokens: 20 };

  /** An agent that reports the usage of its first turn only. */
  const script = (agent: ScriptedAgent) =>
    agent.on('session/prompt', (_params, agent, id) => {
      const isFirst = agent.calls('session/prompt').length === 1;
      if (dialect === 'v1') return { stopReason: 'end_turn', ...(isFirst && { usage }) };
      agent.answer(id, { messageId: `u${id}` });
      agent.update('s1', {
        sessionUpdate: 'state_update',
        state: 'idle',
        stopReason: 'end_turn',
        ...(isFirst && { usage }),
      });
      return noAnswer;
    });

  test('is in the result of the prompt and in the activity until the next turn', async () => {
    const { session, conversation } = await openSession(dialect, { script });
    expect((await session.prompt('One.')).usage).toEqual(usage);
    expect(conversation().activity).toEqual({ state: 'idle', stopReason: 'end_turn', usage });
    const second = session.prompt('Two.');
    if (dialect === 'v1') expect(conversation().activity).toEqual({ state: 'running', stopReason: null });
    expect(await second).not.toHaveProperty('usage');
    expect(conversation().activity).toEqual({ state: 'idle', stopReason: 'end_turn' });
  });
});

describe('the order of messages', () => {
  const chunk = (said: string, messageId?: string) => ({
    sessionUpdate: 'agent_message_chunk',
    content: text(said),
    ...(messageId !== undefined && { messageId }),
  });
  const call = (toolCallId: string, status = 'in_progress') => ({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'Run',
    status,
  });
  const state = (name: string, more: object = {}) => ({
    sessionUpdate: 'state_update',
    state: name,
    ...more,
  });

  /** A version 2 agent that takes each prompt and says nothing more. */
  const accepting = (agent: { on: (method: string, answer: () => unknown) => unknown }) => {
    let count = 0;
    agent.on('session/prompt', () => ({ messageId: `u${++count}` }));
  };

  test('an update is folded before the promise of a later answer in the same chunk resolves', async () => {
    const { agent, session, conversation } = await openSession('v1', {
      answers: { 'session/prompt': noAnswer },
    });
    const seen: string[][] = [];
    const turn = session.prompt('Go').then(() => seen.push([...outline(conversation())]));
    const { id } = await agent.called('session/prompt');
    agent.channel.send(
      updateMessage('s1', chunk('one ')),
      updateMessage('s1', chunk('two')),
      { jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } },
      updateMessage('s1', chunk(' three')),
    );
    await turn;
    expect(seen).toEqual([['user: Go', 'agent: one two']]);
    await flush(agent);
    expect(outline(conversation())).toEqual(['user: Go', 'agent: one two three']);
  });

  test('an update after the answer to session/new in the same chunk belongs to the session', async () => {
    const { agent, conversation, diagnostics } = await openSession('v1', {
      script: (agent) =>
        agent.on('session/new', (_params, agent, id) => {
          agent.channel.send(
            { jsonrpc: '2.0', id, result: { sessionId: 's1' } },
            updateMessage('s1', chunk('Hi')),
          );
          return noAnswer;
        }),
    });
    await flush(agent);
    expect(outline(conversation())).toEqual(['agent: Hi']);
    expect(diagnostics).toEqual([]);
  });

  test('a replay that continues after the answer is folded in order', async () => {
    const { agent, connection } = await connectFlushable(everything.v1, {
      script: (agent) =>
        agent
          .on('session/load', (_params, agent, id) => {
            agent.update('s1', { sessionUpdate: 'user_message_chunk', content: text('Hello') });
            agent.answer(id, {});
            agent.update('s1', chunk('Good '), chunk('day.'), {
              sessionUpdate: 'user_message_chunk',
              content: text('Bye'),
            });
            return noAnswer;
          })
          .on('session/prompt', (_params, agent) => {
            agent.update('s1', chunk('See you.'));
            return { stopReason: 'end_turn' };
          }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    await flush(agent);
    const conversation = session.conversation;
    expect(outline(conversation)).toEqual(['user: Hello', 'agent: Good day.', 'user: Bye']);
    expect(conversation.entries.map(({ origin }) => origin)).toEqual(['replay', 'replay', 'replay']);
    await session.prompt('Again?');
    const { entries } = session.conversation;
    expect(entries.slice(3).map(({ origin }) => origin)).toEqual(['live', 'live']);
  });

  test('a load may be answered with null, and a failed load leaves no session', async () => {
    const { connection } = await connectFlushable(everything.v1, {
      script: (agent) => {
        let attempts = 0;
        agent.on('session/load', (_params, agent) => {
          agent.update('s1', chunk(`attempt ${++attempts}`));
          if (attempts === 2) throw new RequestError(-32603, 'lost');
          return null;
        });
      },
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    const before = session.conversation;
    await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toThrow('lost');
    expect(session.conversation).toEqual(before);
    await connection.loadSession({ sessionId: 's1', cwd });
    expect(outline(session.conversation)).toEqual(['agent: attempt 3']);
  });

  test('a replay with other ids replaces the live transcript', async () => {
    const { session, connection, conversation } = await openSession('v1', {
      script: (agent) =>
        agent
          .on('session/prompt', (_params, agent) => {
            agent.update('s1', call('live-1', 'completed'), chunk('Done', 'live'));
            return { stopReason: 'end_turn' };
          })
          .on('session/load', (_params, agent) => {
            agent.update(
              's1',
              { sessionUpdate: 'user_message_chunk', content: text('Go') },
              call('stored-1', 'completed'),
              chunk('Done', 'stored'),
            );
            return {};
          }),
    });
    await session.prompt('Go');
    expect(outline(conversation())).toEqual(['user: Go', 'live-1: completed', 'agent: Done']);
    await connection.loadSession({ sessionId: 's1', cwd });
    expect(outline(conversation())).toEqual(['user: Go', 'stored-1: completed', 'agent: Done']);
  });

  test('updates before the first prompt and after the last are folded', async () => {
    const { agent, session, conversation } = await openSession('v1', {
      answers: { 'session/prompt': { stopReason: 'end_turn' } },
    });
    agent.update('s1', chunk('Version 7'));
    await flush(agent);
    await session.prompt('Go');
    agent.update('s1', call('t', 'completed'), chunk('By the way'));
    await flush(agent);
    expect(outline(conversation())).toEqual([
      'agent: Version 7',
      'user: Go',
      't: completed',
      'agent: By the way',
    ]);
  });

  test('repeated, early and unknown states of version 2 are handled', async () => {
    const { agent, session, conversation } = await openSession('v2-baseline', { script: accepting as never });
    const states: unknown[] = [];
    session.store.subscribe(() => {});
    for (const update of [
      state('idle', { stopReason: 'end_turn' }),
      state('running'),
      state('running'),
      state('requires_action'),
      state('_paused'),
      state('idle', { stopReason: 'refusal' }),
      state('idle'),
    ]) {
      agent.update('s1', update);
      await flush(agent);
      states.push(conversation().activity);
    }
    expect(states).toEqual([
      { state: 'idle', stopReason: 'end_turn' },
      { state: 'running', stopReason: null },
      { state: 'running', stopReason: null },
      { state: 'requires_action', stopReason: null },
      { state: '_paused', stopReason: null },
      { state: 'idle', stopReason: 'refusal' },
      { state: 'idle', stopReason: null },
    ]);
  });

  test('two open prompts end with one idle state in version 2, and with two answers in version 1', async () => {
    const { agent, session } = await openSession('v2-baseline', { script: accepting as never });
    const turns = [session.prompt('One'), session.prompt('Two')];
    await Promise.all(turns.map(({ accepted }) => accepted));
    agent.update('s1', state('running'), state('idle', { stopReason: 'end_turn' }));
    expect(await Promise.all(turns)).toEqual([
      { stopReason: 'end_turn', messageId: 'u1' },
      { stopReason: 'end_turn', messageId: 'u2' },
    ]);
    const old = await openSession('v1', { answers: { 'session/prompt': noAnswer } });
    const first = old.session.prompt('One');
    const second = old.session.prompt('Two');
    await old.agent.called('session/prompt', 2);
    const [a, b] = old.agent.calls('session/prompt');
    old.agent.channel.send({ jsonrpc: '2.0', id: b?.id, error: { code: -32603, message: 'busy' } });
    await expect(second).rejects.toMatchObject({ rpcCode: -32603 });
    expect(old.conversation().activity.state).toBe('running');
    old.agent.answer(a?.id as number, { stopReason: 'end_turn' });
    expect(await first).toMatchObject({ stopReason: 'end_turn' });
  });

  describe.each(['v2-markers', 'v2-baseline'] as const)('answers after the idle state, in %s', (dialect) => {
    /** Sends prompts that the agent has not answered, and records how their turns end. */
    async function prompted(...prompts: readonly string[]) {
      const opened = await openSession(dialect, {
        answers: { 'session/prompt': noAnswer },
      });
      const { agent, session } = opened;
      const ends: Record<string, string | null> = {};
      const send = async (prompt: string) => {
        const sent = agent.calls('session/prompt').length;
        session.prompt(prompt).then(
          ({ stopReason }) => {
            ends[prompt] = stopReason;
          },
          () => {},
        );
        return (await agent.called('session/prompt', sent + 1)).id ?? '';
      };
      const ids: (string | number)[] = [];
      for (const prompt of prompts) ids.push(await send(prompt));
      return { ...opened, ends, send, ids };
    }

    const echo = (messageId: string, said: string) => ({
      sessionUpdate: 'user_message',
      messageId,
      content: [text(said)],
    });

    test('end the turns whose message the agent reported before it, and no others', async () => {
      const { agent, ends, ids } = await prompted('One', 'Two');
      agent.update('s1', echo('u1', 'One'), state('running'), state('idle', { stopReason: 'end_turn' }));
      agent.update('s1', echo('u2', 'Two'), state('running'));
      await settle();
      expect(ends).toEqual({});
      agent.answer(ids[1] ?? '', { messageId: 'u2' });
      await settle();
      expect(ends).toEqual({});
      agent.answer(ids[0] ?? '', { messageId: 'u1' });
      await settle();
      expect(ends).toEqual({ One: 'end_turn' });
      agent.update('s1', state('idle', { stopReason: 'refusal' }));
      await settle();
      expect(ends).toEqual({ One: 'end_turn', Two: 'refusal' });
    });

    test('end the only turn that is open, without an id and without a message before it', async () => {
      const { agent, ends, ids, conversation } = await prompted('One');
      agent.update('s1', state('running'), chunk('Hello.', 'm1'), state('idle', { stopReason: 'end_turn' }));
      agent.answer(ids[0] ?? '', {});
      await settle();
      expect(ends).toEqual({ One: 'end_turn' });
      expect(conversation().activity.state).toBe('idle');
    });

    test('do not end a turn that began after it, whatever id they name', async () => {
      const { agent, ends, send } = await prompted('One', 'Two');
      agent.update('s1', echo('u1', 'One'), state('running'), state('idle', { stopReason: 'end_turn' }));
      await settle();
      agent.answer(await send('Three'), { messageId: 'u1' });
      await settle();
      expect(ends).toEqual({});
    });
  });

  test('after an ignored cancel, end_turn counts, and close ends the rest', async () => {
    const { agent, session, connection, conversation } = await openSession('v1', {
      answers: { 'session/prompt': noAnswer },
    });
    const turn = session.prompt('Go');
    const { id } = await agent.called('session/prompt');
    await session.cancel();
    agent.update('s1', chunk('Still here'));
    agent.answer(id as number, { stopReason: 'end_turn' });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(outline(conversation())).toEqual(['user: Go', 'agent: Still here']);
    const deaf = session.prompt('Again');
    await agent.called('session/prompt', 2);
    await session.cancel();
    const closing = connection.close();
    await expect(deaf).rejects.toMatchObject({ code: 'connection.closed' });
    await closing;
  });

  test.each(['v1', 'v2-baseline'] as const)(
    'an exit keeps what the agent said, and rejects all open calls, in %s',
    async (dialect) => {
      const { agent, session, connection, conversation } = await openSession(dialect, {
        answers: { 'session/prompt': noAnswer, 'session/list': noAnswer },
      });
      const turn = session.prompt('Go');
      const list = connection.listSessions().page();
      await agent.called('session/list');
      const toolCall = dialect === 'v1' ? call('t') : { ...call('t'), sessionUpdate: 'tool_call_update' };
      agent.update(
        's1',
        ...(dialect === 'v1' ? [] : [state('running')]),
        toolCall,
        chunk('Last w', 'm'),
        chunk('ords', 'm'),
      );
      agent.channel.end();
      const failures = await Promise.all(
        [turn, list].map((pending) => pending.catch((error: unknown) => error)),
      );
      expect(failures).toMatchObject([{ code: 'connection.closed' }, { code: 'connection.closed' }]);
      await connection.closed;
      expect(outline(conversation())).toEqual([
        'user: Go',
        't: cancelled',
        'agent: Last words',
        'interrupted: scripted closed the connection.',
      ]);
      expect(messages(conversation())[0]?.origin).toBe('live');
      expect(conversation().activity.state).toBe('idle');
      expect(session.isClosed).toBe(true);
    },
  );

  test('unknown updates are kept, and malformed ones are reported', async () => {
    const { agent, conversation, diagnostics } = await openSession('v2-baseline');
    const strange = { sessionUpdate: 'from_the_future', at: 3 };
    agent.update(
      's1',
      chunk('a', 'm'),
      strange,
      { sessionUpdate: 'agent_message', messageId: 4 },
      chunk('b', 'm'),
    );
    await flush(agent);
    expect(conversation().entries).toMatchObject([
      { content: [text('ab')] },
      { tag: 'from_the_future', raw: strange },
    ]);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.malformed_update']);
  });

  test('updates wait while a session is being opened, and are dropped otherwise', async () => {
    const { agent, connection, diagnostics } = await connectFlushable(everything.v1, {
      script: (agent) =>
        agent.on('session/new', (_params, agent) => {
          agent.update('s1', chunk('mine'));
          agent.update('unknown', chunk('not mine'));
          return { sessionId: 's1' };
        }),
    });
    agent.update('s1', chunk('too early'));
    await flush(agent);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.unknown_session']);
    const session = await connection.newSession({ cwd });
    expect(outline(session.conversation)).toEqual(['agent: mine']);
    await settle();
    expect(diagnostics.map(({ rule }) => rule)).toEqual([
      'protocol.unknown_session',
      'protocol.unknown_session',
    ]);
    expect(diagnostics[1]?.message).toContain('"unknown"');
  });

  test('updates of two sessions do not mix', async () => {
    let count = 0;
    const { agent, connection } = await connectFlushable(everything.v1, {
      answers: { 'session/new': () => ({ sessionId: `s${++count}` }) },
    });
    const first = await connection.newSession({ cwd });
    const second = await connection.newSession({ cwd });
    for (const said of ['a', 'b', 'c']) {
      agent.update('s1', chunk(`${said}1 `));
      agent.update('s2', chunk(`${said}2 `));
    }
    await flush(agent);
    expect(outline(first.conversation)).toEqual(['agent: a1 b1 c1 ']);
    expect(outline(second.conversation)).toEqual(['agent: a2 b2 c2 ']);
  });

  test('100,000 chunks are one message, with one notification per batch, and old snapshots stay readable', async () => {
    const { agent, session, conversation } = await openSession('v1');
    let told = 0;
    session.store.subscribe(() => {
      told++;
    });
    agent.update('s1', chunk('0', 'm'));
    await flush(agent);
    const early = conversation();
    const total = 100_000;
    const lines = Array.from({ length: 1000 }, () =>
      JSON.stringify(updateMessage('s1', chunk('x', 'm'))),
    ).join('\n');
    for (let sent = 0; sent < total; sent += 1000) agent.channel.write(`${lines}\n`);
    await flush(agent);
    expect(messages(conversation())).toMatchObject([{ content: [text(`0${'x'.repeat(total)}`)] }]);
    expect(messages(early)).toMatchObject([{ content: [text('0')] }]);
    // A batch is what arrived together: there are far fewer than there are chunks.
    expect(told).toBeLessThan(total / 100);
    const later = foldUpdate(early, {
      sessionUpdate: 'agent_message_chunk',
      messageId: 'm',
      content: text('!'),
    });
    expect(messages(later)).toMatchObject([{ content: [text('0!')] }]);
  });
});

describe('the `_meta` of a turn in version 2', () => {
  const quota = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' };

  test('is that of the answer, and that of the idle state, which takes precedence', async () => {
    const { agent, session } = await openSession('v2-baseline', {
      answers: { 'session/prompt': { messageId: 'm1', _meta: { queue: 2, quota: 'old' } } },
    });
    const turn = session.prompt('Hello.');
    const accepted = await turn.accepted;
    agent.update('s1', { ...quota, _meta: { quota: 'new' } });
    const { _meta } = await turn;
    expect(accepted).toEqual({ messageId: 'm1', _meta: { queue: 2, quota: 'old' } });
    expect(_meta).toEqual({ queue: 2, quota: 'new' });
  });

  test('is that of the idle state alone if the answer has none, also if the answer comes last', async () => {
    const { session } = await openSession('v2-baseline', {
      script: (scripted) =>
        scripted.on('session/prompt', (_, agent) => {
          agent.update('s1', { sessionUpdate: 'user_message', messageId: 'm1', content: [] });
          agent.update('s1', { ...quota, _meta: { quota: 'new' } });
          return { messageId: 'm1' };
        }),
    });
    const { _meta } = await session.prompt('Hello.');
    expect(_meta).toEqual({ quota: 'new' });
  });

  test('is absent if the agent sends none', async () => {
    const { session } = await openSession('v2-baseline', {
      script: (scripted) =>
        scripted.on('session/prompt', (_, agent) => {
          setImmediate(() => agent.update('s1', quota));
          return { messageId: 'm1' };
        }),
    });
    expect(await session.prompt('Hello.')).not.toHaveProperty('_meta');
  });
});
