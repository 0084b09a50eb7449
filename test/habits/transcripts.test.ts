import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/conversation/select.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import { type ScriptedAgent, silence } from '../../src/testing/scripted-agent.ts';
import { connectTo, everything, settle, text } from '../support/agents.ts';

const cwd = '/home/user/project';

const chunk = (kind: 'user' | 'agent' | 'thought', said: string, messageId?: string) => ({
  sessionUpdate: kind === 'thought' ? 'agent_thought_chunk' : `${kind}_message_chunk`,
  ...(messageId !== undefined && { messageId }),
  content: text(said),
});

/** What was said, one line an entry. */
const lines = ({ entries }: Conversation) =>
  entries.map((entry) =>
    entry.kind === 'message'
      ? `${entry.role}: ${textOf(entry)}`
      : `${entry.kind === 'toolCall' ? `${entry.title} (${entry.status})` : entry.kind}`,
  );

/** A session of version 1 in which the agent answers a prompt as `perform` does. */
async function prompted(perform: (agent: ScriptedAgent) => unknown) {
  const connected = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/new', { sessionId: 's1' }).on('session/prompt', async (_params, agent) => {
        await perform(agent);
        return { stopReason: 'end_turn' };
      }),
    handlers: {
      requestPermission: ({ options }) => ({ outcome: 'selected', optionId: options[0]?.optionId ?? '' }),
    },
  });
  const session = await connected.connection.newSession({ cwd });
  return { ...connected, session, snapshot: () => session.conversation.getSnapshot() };
}

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always here', kind: 'allow_always' },
  { optionId: 'everywhere', name: 'Always everywhere', kind: 'allow_always' },
];

describe('how agents tell a transcript', () => {
  test('without ids: what follows one another in one role is one message, and a tool call parts it', async () => {
    const { session, snapshot } = await prompted((agent) =>
      agent.update(
        's1',
        chunk('thought', 'Hm'),
        chunk('thought', 'm.'),
        chunk('agent', 'One'),
        chunk('agent', '.'),
        { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Look', status: 'completed' },
        chunk('agent', 'Two.'),
      ),
    );
    await session.prompt('Count.');
    expect(lines(snapshot())).toEqual([
      'user: Count.',
      'thought: Hmm.',
      'agent: One.',
      'Look (completed)',
      'agent: Two.',
    ]);
  });

  test('empty chunks are neither messages of their own nor lost words', async () => {
    const { session, snapshot } = await prompted((agent) =>
      agent.update(
        's1',
        chunk('agent', ''),
        chunk('agent', 'Hello'),
        chunk('agent', ''),
        chunk('agent', ' '),
      ),
    );
    await session.prompt('Hi.');
    expect(lines(snapshot())).toEqual(['user: Hi.', 'agent: Hello ']);
  });

  test('a thought and its answer under one id stay apart', async () => {
    const { session, snapshot } = await prompted((agent) =>
      agent.update(
        's1',
        chunk('thought', 'Hm.', 'm1'),
        chunk('agent', 'Yes.', 'm1'),
        chunk('agent', ' No.', 'm1'),
      ),
    );
    await session.prompt('Well?');
    expect(lines(snapshot())).toEqual(['user: Well?', 'thought: Hm.', 'agent: Yes. No.']);
  });

  test('a tool call that is updated before it is announced keeps what the update said', async () => {
    const { agent, session, snapshot } = await prompted(async (agent) => {
      agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' });
      await agent.request('session/request_permission', {
        sessionId: 's1',
        toolCall: { toolCallId: 't1', rawInput: { path: 'a' } },
        options,
      });
      agent.update('s1', {
        sessionUpdate: 'tool_call',
        toolCallId: 't1',
        title: 'Edit a',
        kind: 'edit',
        status: 'pending',
      });
      await settle();
    });
    const seen: string[] = [];
    session.conversation.subscribe(() =>
      seen.push(...lines(snapshot()).filter((line) => line.includes('Edit'))),
    );
    const turn = session.prompt('Edit it.');
    await agent.called('session/prompt');
    await turn;
    expect(seen).toContain('Edit a (in_progress)');
    expect(seen).not.toContain('Edit a (pending)');
    expect(snapshot().entries[1]).toMatchObject({ toolKind: 'edit', rawInput: { path: 'a' } });
  });

  test('a tool call announced twice is one, and the second announcement fills it in', async () => {
    const { session, snapshot } = await prompted((agent) =>
      agent.update(
        's1',
        { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Write', kind: 'edit', rawInput: {} },
        { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'in_progress' },
        { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Write a.txt', rawInput: { path: 'a.txt' } },
        { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' },
      ),
    );
    await session.prompt('Write.');
    expect(lines(snapshot())).toEqual(['user: Write.', 'Write a.txt (completed)']);
    expect(snapshot().entries[1]).toMatchObject({ toolKind: 'edit', rawInput: { path: 'a.txt' } });
  });

  test('a tool call that is known from its permission alone is shown, and ends with the turn', async () => {
    const { session, snapshot } = await prompted(async (agent) => {
      await agent.request('session/request_permission', {
        sessionId: 's1',
        toolCall: { toolCallId: 't1', title: 'Delete everything', kind: 'delete', status: 'pending' },
        options: [{ optionId: 'no', name: 'No', kind: 'reject_once' }],
      });
    });
    await session.prompt('Tidy up.');
    expect(lines(snapshot())).toEqual(['user: Tidy up.', 'Delete everything (cancelled)']);
    expect(snapshot().entries[1]).toMatchObject({ permission: null });
  });

  test('an update of a tool call after the end of its turn still counts', async () => {
    const { agent, session, snapshot } = await prompted((agent) =>
      agent.update('s1', {
        sessionUpdate: 'tool_call',
        toolCallId: 't1',
        title: 'Run',
        status: 'in_progress',
      }),
    );
    await session.prompt('Run.');
    expect(lines(snapshot())).toEqual(['user: Run.', 'Run (cancelled)']);
    agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'failed' });
    await settle();
    expect(lines(snapshot())).toEqual(['user: Run.', 'Run (failed)']);
    expect(snapshot().activity.state).toBe('idle');
  });

  test('words outside of every turn are part of the transcript: a banner, a change of mode', async () => {
    const { agent, session, snapshot } = await prompted(() => {});
    agent.update('s1', chunk('agent', 'Agent 1.0. '), { sessionUpdate: 'session_info_update', title: 'New' });
    await settle();
    expect(lines(snapshot())).toEqual(['agent: Agent 1.0. ']);
    expect(snapshot()).toMatchObject({ activity: { state: 'idle' }, info: { title: 'New' } });
    await session.prompt('Hi.');
    agent.update('s1', {
      sessionUpdate: 'current_mode_update',
      currentModeId: 'https://example.com/mode#plan',
    });
    await settle();
    expect(snapshot().modes?.currentModeId).toBe('https://example.com/mode#plan');
  });

  test('a replay that comes after the answer to the load is taken, and closes nobody’s turn', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', (_params, agent, id) => {
          agent.update('s1', chunk('user', 'First '));
          agent.answer(id, {});
          agent.update('s1', chunk('user', 'question.'), chunk('agent', 'Answer.'));
          return silence;
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    await settle();
    expect(lines(session.conversation.getSnapshot())).toEqual(['user: First question.', 'agent: Answer.']);
    expect(agent.calls('session/load')).toHaveLength(1);
  });

  test('a message repeated whole and then in pieces, as replays of version 2 are, is one message', async () => {
    const { connection } = await connectTo(everything['v2-baseline'], {
      script: (agent) =>
        agent.on('session/resume', (_params, agent) => {
          agent.update(
            's1',
            { sessionUpdate: 'user_message', messageId: 'u1', content: [] },
            chunk('user', 'Question.', 'u1'),
            { sessionUpdate: 'agent_message', messageId: 'a1' },
            chunk('agent', 'Ans', 'a1'),
            chunk('agent', 'wer.', 'a1'),
            { sessionUpdate: 'agent_message', messageId: 'a1', content: [text('Answer.')] },
            { sessionUpdate: 'state_update', state: 'idle' },
          );
          return {};
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    expect(lines(session.conversation.getSnapshot())).toEqual(['user: Question.', 'agent: Answer.']);
  });

  test('a replay that leaves a tool call unfinished is shown as it is told', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', (_params, agent) => {
          agent.update('s1', chunk('user', 'Write.'), {
            sessionUpdate: 'tool_call',
            toolCallId: 't1',
            title: 'Write',
            status: 'pending',
          });
          return null;
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    const snapshot = session.conversation.getSnapshot();
    expect(lines(snapshot)).toEqual(['user: Write.', 'Write (pending)']);
    expect(snapshot.activity.state).toBe('idle');
    // What the agent says of it later counts.
    agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
    await settle();
    expect(lines(session.conversation.getSnapshot())).toEqual(['user: Write.', 'Write (completed)']);
  });
});
