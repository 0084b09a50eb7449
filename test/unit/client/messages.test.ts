import { describe, expect, test } from 'vitest';
import { textOf } from '../../../src/conversation/select.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything, refuses, settle, text } from '../../support/agents.ts';
import { flush, messages, openSession, outline } from '../../support/open-session.ts';

describe('messages and their ids', () => {
  const agentChunk = (said: string, messageId?: string) => ({
    sessionUpdate: 'agent_message_chunk',
    content: text(said),
    ...(messageId !== undefined && { messageId }),
  });
  const thoughtChunk = (said: string, messageId?: string) => ({
    ...agentChunk(said, messageId),
    sessionUpdate: 'agent_thought_chunk',
  });
  const message = (messageId: string, content?: unknown) => ({
    sessionUpdate: 'agent_message',
    messageId,
    ...(content !== undefined && { content }),
  });
  const toolCall = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', status: 'completed' };

  async function folded(dialect: DialectName, ...updates: readonly object[]) {
    const { agent, conversation, diagnostics } = await openSession(dialect);
    agent.update('s1', ...updates);
    await flush(agent);
    return { conversation: conversation(), diagnostics };
  }

  test('without ids, a change of role or a tool call begins a new entry', async () => {
    const { conversation } = await folded(
      'v1',
      agentChunk('a'),
      thoughtChunk('b'),
      agentChunk('c'),
      toolCall,
      agentChunk('d'),
    );
    expect(outline(conversation)).toEqual(['agent: a', 'thought: b', 'agent: c', 't: completed', 'agent: d']);
  });

  test('a new id begins a message, and a chunk without an id continues one', async () => {
    const outlineOf = async (...ids: (string | undefined)[]) =>
      outline((await folded('v1', ...ids.map((id, n) => agentChunk(String(n), id)))).conversation);
    expect(await outlineOf('a', 'a', 'b')).toEqual(['agent: 01', 'agent: 2']);
    expect(await outlineOf('a', undefined, 'a')).toEqual(['agent: 012']);
    expect(await outlineOf(undefined, 'a', 'a')).toEqual(['agent: 012']);
    expect(await outlineOf(undefined, 'a', undefined, 'b')).toEqual(['agent: 012', 'agent: 3']);
  });

  test('an earlier id continues its message in version 1', async () => {
    const { conversation } = await folded(
      'v1',
      agentChunk('a', '1'),
      toolCall,
      agentChunk('b', '1'),
      agentChunk('c', '2'),
    );
    expect(outline(conversation)).toEqual(['agent: ab', 't: completed', 'agent: c']);
    expect(messages(conversation).map(({ messageId }) => messageId)).toEqual(['1', '2']);
  });

  test('an earlier id continues its message in version 2', async () => {
    const { conversation } = await folded(
      'v2-baseline',
      agentChunk('a', '1'),
      agentChunk('x', '2'),
      agentChunk('b', '1'),
    );
    expect(outline(conversation)).toEqual(['agent: ab', 'agent: x']);
  });

  test('a whole message replaces its chunks, and a later chunk appends to it', async () => {
    const { conversation } = await folded(
      'v2-baseline',
      agentChunk('draft', '1'),
      message('1', [text('X')]),
      agentChunk('!', '1'),
    );
    expect(outline(conversation)).toEqual(['agent: X!']);
  });

  test('a message without content keeps the content, and null or an empty list clears it', async () => {
    const said = async (...updates: object[]) =>
      outline((await folded('v2-baseline', agentChunk('a', '1'), ...updates)).conversation);
    expect(await said(message('1'))).toEqual(['agent: a']);
    expect(await said(message('1', null))).toEqual(['agent: ']);
    expect(await said(message('1', []))).toEqual(['agent: ']);
  });

  test('one id with two roles is two messages', async () => {
    for (const dialect of ['v1', 'v2-markers', 'v2-baseline'] as const) {
      const { conversation, diagnostics } = await folded(
        dialect,
        thoughtChunk('hm', '1'),
        agentChunk('so', '1'),
        thoughtChunk('.', '1'),
      );
      expect(outline(conversation)).toEqual(['thought: hm.', 'agent: so']);
      expect(diagnostics).toEqual([]);
    }
  });

  test('chunks are joined to the same text, wherever it is cut', async () => {
    const { conversation: blank } = await folded('v1', agentChunk(''), agentChunk('  \n'), agentChunk(''));
    expect(outline(blank)).toEqual(['agent:   \n']);
    const whole = 'a\ud83d\ude80\r\n```ts\n\u00e9e\u0301 ```';
    const cut = Array.from({ length: whole.length }, (_, n) => agentChunk(whole.slice(n, n + 1)));
    const { conversation } = await folded('v1', ...cut);
    expect(messages(conversation)).toMatchObject([{ content: [text(whole)] }]);
  });

  test('other content keeps its position between texts', async () => {
    const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
    const odd = { type: '_odd', x: 1 };
    const blocks = [text('a'), image, text('b'), odd, text('c')];
    const chunks = blocks.map((content) => ({ sessionUpdate: 'agent_message_chunk', content }));
    expect(messages((await folded('v1', ...chunks)).conversation)[0]?.content).toEqual(blocks);
  });

  test('a chunk that repeats the text before is appended', async () => {
    const { conversation } = await folded(
      'v1',
      agentChunk('| a'),
      agentChunk('| a | b'),
      agentChunk('| a | b'),
    );
    expect(outline(conversation)).toEqual(['agent: | a| a | b| a | b']);
  });
});

describe('the echo of a prompt', () => {
  const userChunk = (said: string, messageId?: string) => ({
    sessionUpdate: 'user_message_chunk',
    content: text(said),
    ...(messageId !== undefined && { messageId }),
  });
  const userMessage = (messageId: string, said: string) => ({
    sessionUpdate: 'user_message',
    messageId,
    content: [text(said)],
  });
  const state = (name: string) => ({ sessionUpdate: 'state_update', state: name });

  /** A version 1 agent that repeats the prompt in these updates. */
  async function echoed(prompt: string, ...updates: readonly object[]) {
    const { session, conversation } = await openSession('v1', {
      script: (agent) =>
        agent.on('session/prompt', (_params, agent) => {
          agent.update('s1', ...updates);
          return { stopReason: 'end_turn' };
        }),
    });
    const turn = session.prompt(prompt);
    const before = conversation();
    await turn;
    return { before, after: conversation() };
  }

  test('an echo confirms the prompt, with an id or word for word, and other words without an id are another message', async () => {
    const { before, after } = await echoed('Hello', userChunk('Hello', 'u1'));
    expect(messages(before)).toMatchObject([{ origin: 'local', messageId: null, content: [text('Hello')] }]);
    expect(messages(after)).toMatchObject([{ origin: 'live', messageId: 'u1', content: [text('Hello')] }]);
    // The key of the entry stays, for the list that shows it.
    expect(after.entries[0]?.key).toBe(before.entries[0]?.key);
    const { after: other } = await echoed('Hello', userChunk('Hello, @file', 'u1'));
    expect(outline(other)).toEqual(['user: Hello, @file']);
    const { before: sent, after: repeated } = await echoed('Hello', userChunk('Hello'));
    expect(messages(repeated)).toMatchObject([{ origin: 'live', messageId: null, content: [text('Hello')] }]);
    expect(repeated.entries[0]?.key).toBe(sent.entries[0]?.key);
    const { after: nameless } = await echoed('Hello', userChunk('Hello, @file'));
    expect(outline(nameless)).toEqual(['user: Hello', 'user: Hello, @file']);
  });

  test('the same text in two prompts is two messages', async () => {
    const { session, conversation } = await openSession('v1', {
      script: (agent) => {
        let count = 0;
        agent.on('session/prompt', (_params, agent) => {
          agent.update('s1', userChunk('Again', `u${++count}`));
          return { stopReason: 'end_turn' };
        });
      },
    });
    await session.prompt('Again');
    await session.prompt('Again');
    expect(outline(conversation())).toEqual(['user: Again', 'user: Again']);
    expect(messages(conversation()).map(({ messageId }) => messageId)).toEqual(['u1', 'u2']);
  });

  test('in version 2 a receipt and an echo make one message in any order, and either may be absent', async () => {
    const plays: Record<string, (agent: ScriptedAgent, id: string | number) => void> = {
      'receipt, echo': (agent, id) => {
        agent.answer(id, { messageId: 'u1' });
        agent.update('s1', userMessage('u1', 'Go'));
      },
      'echo, receipt': (agent, id) => {
        agent.update('s1', userMessage('u1', 'Go'));
        agent.answer(id, { messageId: 'u1' });
      },
      'empty receipt, echo': (agent, id) => {
        agent.answer(id, {});
        agent.update('s1', userMessage('u1', 'Go'));
      },
      'echo, empty receipt': (agent, id) => {
        agent.update('s1', userMessage('u1', 'Go'));
        agent.answer(id, {});
      },
      'receipt alone': (agent, id) => agent.answer(id, { messageId: 'u1' }),
    };
    for (const [order, play] of Object.entries(plays)) {
      const { agent, session, conversation } = await openSession('v2-baseline', {
        script: (agent) =>
          agent.on('session/prompt', (_params, agent, id) => {
            play(agent, id);
            return noAnswer;
          }),
      });
      const turn = session.prompt('Go');
      await turn.accepted;
      agent.update('s1', state('running'), state('idle'));
      await turn;
      const expected = [{ role: 'user', messageId: 'u1', origin: 'live', content: [text('Go')] }];
      expect(messages(conversation()), order).toMatchObject(expected);
      expect(conversation().entries, order).toHaveLength(1);
    }
  });

  test('in version 2 a refused prompt is removed from the conversation', async () => {
    const { session, conversation } = await openSession('v2-baseline', {
      answers: { 'session/prompt': refuses(-32603, 'Full') },
    });
    await expect(session.prompt('Go')).rejects.toMatchObject({ rpcCode: -32603 });
    expect(conversation().entries).toEqual([]);
  });

  test('an echo in several chunks is one message, with the text of the agent', async () => {
    const { after } = await echoed('See @a', userChunk('See ', 'u1'), userChunk('<file a>', 'u1'));
    expect(outline(after)).toEqual(['user: See <file a>']);
    const { agent, session, conversation } = await openSession('v2-baseline', {
      script: (agent) =>
        agent.on('session/prompt', (_params, agent, id) => {
          agent.update('s1', state('running'), userChunk('See ', 'u1'));
          agent.answer(id, { messageId: 'u1' });
          agent.update('s1', userChunk('<file a>', 'u1'));
          return noAnswer;
        }),
    });
    const turn = session.prompt('See @a');
    await turn.accepted;
    await flush(agent);
    expect(outline(conversation())).toEqual(['user: See <file a>']);
    agent.update('s1', state('idle'));
    await turn;
  });
});

describe('transcripts of real agents', () => {
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
    return { ...connected, session, snapshot: () => session.conversation };
  }

  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'always', name: 'Always here', kind: 'allow_always' },
    { optionId: 'everywhere', name: 'Always everywhere', kind: 'allow_always' },
  ];

  test('[agents: no-message-ids] chunks of one role without ids are one message, up to a tool call', async () => {
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

  test('[agents: empty-chunks] an empty chunk does not begin a message', async () => {
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

  test('[agents: shared-message-id] a thought and a message with the same id are two entries', async () => {
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

  test('[agents: updated-before-announced] an update before the announcement of a tool call is kept', async () => {
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
    session.store.subscribe(() => seen.push(...lines(snapshot()).filter((line) => line.includes('Edit'))));
    const turn = session.prompt('Edit it.');
    await agent.called('session/prompt');
    await turn;
    expect(seen).toContain('Edit a (in_progress)');
    expect(seen).not.toContain('Edit a (pending)');
    expect(snapshot().entries[1]).toMatchObject({ toolKind: 'edit', rawInput: { path: 'a' } });
  });

  test('[agents: announced-twice] a tool call that is announced twice is one entry', async () => {
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

  test('[agents: permission-unannounced] a tool call that only a permission request names is an entry, and ends with the turn', async () => {
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

  test('[agents: late-tool-call] an update of a tool call after its turn is applied', async () => {
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

  test('[agents: words-between-turns] updates between turns are part of the transcript', async () => {
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

  test('[agents: late-replay] a replay after the answer to the load is folded, and ends no turn', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', (_params, agent, id) => {
          agent.update('s1', chunk('user', 'First question.'), chunk('agent', 'Ans'));
          agent.answer(id, {});
          agent.update('s1', chunk('agent', 'wer.'));
          return noAnswer;
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    await settle();
    expect(lines(session.conversation)).toEqual(['user: First question.', 'agent: Answer.']);
    expect(agent.calls('session/load')).toHaveLength(1);
  });

  test('[agents: replayed-twice] a message that is replayed whole and in chunks is one message', async () => {
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
    expect(lines(session.conversation)).toEqual(['user: Question.', 'agent: Answer.']);
  });

  test('[agents: replayed-unfinished] a replayed tool call that is not finished keeps its status', async () => {
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
    const snapshot = session.conversation;
    expect(lines(snapshot)).toEqual(['user: Write.', 'Write (pending)']);
    expect(snapshot.activity.state).toBe('idle');
    // What the agent says of it later counts.
    agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
    await settle();
    expect(lines(session.conversation)).toEqual(['user: Write.', 'Write (completed)']);
  });
});
