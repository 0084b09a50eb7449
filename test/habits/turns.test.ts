import { describe, expect, test } from 'vitest';
import { RequestError } from '../../src/rpc/request-error.ts';
import { type ScriptedAgent, silence } from '../../src/testing/scripted-agent.ts';
import { connectTo, everything, settle, text } from '../support/agents.ts';

const cwd = '/home/user/project';

const opened = (script: (agent: ScriptedAgent) => unknown) => (agent: ScriptedAgent) => {
  agent.on('session/new', { sessionId: 's1' });
  script(agent);
};

const state = (state: string, fields: object = {}) => ({ sessionUpdate: 'state_update', state, ...fields });
const refusal = { optionId: 'no', name: 'No', kind: 'reject_once' };

describe('how turns end with agents of version 1', () => {
  test.each([-32603, 400, -32000])(
    'a failed turn is an error of the agent’s, and its code %s is passed on as it is',
    async (code) => {
      const { connection } = await connectTo(everything.v1, {
        script: opened((agent) =>
          agent.on('session/prompt', () => {
            throw new RequestError(code, 'mock error');
          }),
        ),
      });
      const session = await connection.newSession({ cwd });
      await expect(session.prompt('Fail.')).rejects.toMatchObject({ rpcCode: code });
      expect(session.conversation.getSnapshot().activity.state).toBe('idle');
    },
  );

  test('a failed turn that ends well is one that ends well: its text, or its silence, is what there is', async () => {
    let said = 'API error: 400';
    const { connection } = await connectTo(everything.v1, {
      script: opened((agent) =>
        agent.on('session/prompt', (_params, agent) => {
          if (said) agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text(said) });
          return { stopReason: 'end_turn' };
        }),
      ),
    });
    const session = await connection.newSession({ cwd });
    expect(await session.prompt('Fail.')).toMatchObject({ stopReason: 'end_turn' });
    said = '';
    expect(await session.prompt('Fail.')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.conversation.getSnapshot().entries).toHaveLength(3);
  });

  test('a second prompt is sent while the first runs, and each ends with its own answer, in any order', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: opened((agent) => agent.on('session/prompt', () => silence)),
    });
    const session = await connection.newSession({ cwd });
    const [first, second] = [session.prompt('One.'), session.prompt('Two.')];
    const [one, two] = [await agent.called('session/prompt'), await agent.called('session/prompt', 2)];
    agent.answer(two.id ?? '', { stopReason: 'end_turn' });
    expect(await second).toMatchObject({ stopReason: 'end_turn' });
    expect(session.conversation.getSnapshot().activity.state).toBe('running');
    agent.answer(one.id ?? '', { stopReason: 'cancelled' });
    expect(await first).toMatchObject({ stopReason: 'cancelled' });
    expect(session.conversation.getSnapshot().activity.state).toBe('idle');
  });

  test('the first prompt that is refused for the second’s sake takes nothing with it', async () => {
    let answerFirst = (_error: RequestError) => {};
    const { connection } = await connectTo(everything.v1, {
      script: opened((agent) =>
        agent.on('session/prompt', ({ prompt }) =>
          JSON.stringify(prompt).includes('One')
            ? new Promise((_resolve, reject) => {
                answerFirst = reject;
              })
            : { stopReason: 'end_turn' },
        ),
      ),
    });
    const session = await connection.newSession({ cwd });
    const first = session.prompt('One.');
    expect(await session.prompt('Two.')).toMatchObject({ stopReason: 'end_turn' });
    answerFirst(new RequestError(-32603, 'aborted'));
    await expect(first).rejects.toMatchObject({ rpcCode: -32603 });
    expect(session.conversation.getSnapshot().activity.state).toBe('idle');
  });

  test('a prompt that is never answered ends with its session, or with the connection', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent
          .on('session/new', () => ({ sessionId: `s${agent.calls('session/new').length}` }))
          .on('session/prompt', () => silence)
          .on('session/close', {}),
    });
    const [one, two] = [await connection.newSession({ cwd }), await connection.newSession({ cwd })];
    const [first, second] = [one.prompt('One.'), two.prompt('Two.')];
    await agent.called('session/prompt', 2);
    await one.close();
    expect(await first).toMatchObject({ stopReason: 'cancelled' });
    await connection.close();
    await expect(second).rejects.toMatchObject({ code: 'connection.closed' });
    expect(two.conversation.getSnapshot().activity.state).toBe('idle');
  });

  test('an aborted prompt ends at once and is cancelled in both ways, as many agents heed but one', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: opened((agent) => agent.on('session/prompt', () => silence)),
    });
    const session = await connection.newSession({ cwd });
    const user = new AbortController();
    const turn = session.prompt('One.', { signal: user.signal });
    const { id } = await agent.called('session/prompt');
    user.abort('enough');
    await expect(turn).rejects.toBe('enough');
    await agent.called('session/cancel');
    expect(agent.calls('$/cancel_request').map(({ params }) => params)).toEqual([{ requestId: id }]);
    // The agent ends the turn in its own time, and the session is at rest only then.
    expect(session.conversation.getSnapshot().activity.state).toBe('running');
    agent.answer(id ?? '', { stopReason: 'cancelled' });
    await settle();
    expect(session.conversation.getSnapshot().activity.state).toBe('idle');
  });

  test.each(['cancelled', 'end_turn'])(
    'after a refused permission a turn that ends with %s leaves nothing open',
    async (stopReason) => {
      const { connection } = await connectTo(everything.v1, {
        script: opened((agent) =>
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
        ),
        handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'no' }) },
      });
      const session = await connection.newSession({ cwd });
      expect(await session.prompt('Write.')).toMatchObject({ stopReason });
      expect(session.conversation.getSnapshot().entries[1]).toMatchObject({
        status: 'cancelled',
        permission: null,
      });
    },
  );
});

describe('how turns end with agents of version 2', () => {
  const running = (perform: (agent: ScriptedAgent) => unknown) => ({
    script: opened((agent) =>
      agent.on('session/prompt', async (_params, agent) => {
        agent.update('s1', state('running'));
        agent.update('s1', { sessionUpdate: 'user_message', messageId: 'u1', content: [text('Go.')] });
        setTimeout(() => perform(agent), 5);
        return { messageId: 'u1' };
      }),
    ),
    handlers: { requestPermission: () => ({ outcome: 'selected' as const, optionId: 'no' }) },
  });

  test('a turn that the agent calls off after a refusal leaves no tool call open', async () => {
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
    expect(session.conversation.getSnapshot().entries).toMatchObject([
      { role: 'user' },
      { kind: 'toolCall', status: 'cancelled', permission: null },
    ]);
  });

  test('work that the agent reports as going on in the background is not called off with the turn', async () => {
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
    expect(session.conversation.getSnapshot().entries.slice(1)).toMatchObject([
      { toolCallId: 't1', status: 'in_progress' },
      { toolCallId: 't2', status: 'cancelled' },
    ]);
    await connection.close();
    expect(session.conversation.getSnapshot().entries[1]).toMatchObject({ status: 'cancelled' });
  });

  test('an agent that ends in the middle of a turn leaves no session running', async () => {
    const { connection } = await connectTo(
      everything['v2-baseline'],
      running((agent) => {
        agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' });
        agent.channel.end();
      }),
    );
    const session = await connection.newSession({ cwd });
    await expect(session.prompt('Go.')).rejects.toMatchObject({ code: 'connection.closed' });
    expect(session.conversation.getSnapshot()).toMatchObject({
      activity: { state: 'idle', stopReason: null },
      entries: [{ role: 'user' }, { status: 'cancelled' }],
    });
  });

  test('a closed session keeps the reason with which its last turn ended', async () => {
    const { connection } = await connectTo(everything['v2-baseline'], {
      ...running((agent) => agent.update('s1', state('idle', { stopReason: 'max_tokens' }))),
    });
    const session = await connection.newSession({ cwd });
    await session.prompt('Go.');
    await connection.close();
    expect(session.conversation.getSnapshot().activity).toEqual({ state: 'idle', stopReason: 'max_tokens' });
  });

  test('a failed turn ends with the reason error, and says what went wrong', async () => {
    const error = { code: -32603, message: 'mock error' };
    const { connection } = await connectTo(
      everything['v2-baseline'],
      running((agent) => agent.update('s1', state('idle', { stopReason: 'error', error }))),
    );
    const session = await connection.newSession({ cwd });
    expect(await session.prompt('Go.')).toMatchObject({ stopReason: 'error' });
    expect(session.conversation.getSnapshot().activity).toMatchObject({ state: 'idle', error });
  });

  test.each([
    ['the echo, the receipt, then running', ['echo', 'receipt', 'running']],
    ['running, the echo, then the receipt', ['running', 'echo', 'receipt']],
    ['the receipt, running, then the echo', ['receipt', 'running', 'echo']],
  ])('a prompt is one message and one turn: %s', async (_name, order) => {
    const { connection } = await connectTo(everything['v2-baseline'], {
      script: opened((agent) =>
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
          return silence;
        }),
      ),
    });
    const session = await connection.newSession({ cwd });
    expect(await session.prompt('Go.')).toEqual({ stopReason: 'end_turn', messageId: 'u1' });
    expect(session.conversation.getSnapshot().entries).toMatchObject([
      { role: 'user', messageId: 'u1', content: [text('Go.')], origin: 'live' },
    ]);
  });

  test('a held prompt that is answered -32800 when the turn is cancelled was never said', async () => {
    const { agent, connection } = await connectTo(everything['v2-baseline'], {
      script: opened((agent) =>
        agent.on('session/prompt', (_params, agent) =>
          agent.calls('session/prompt').length > 1 ? silence : { messageId: 'u1' },
        ),
      ),
    });
    const session = await connection.newSession({ cwd });
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
    expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text('One.')] }]);
  });
});
