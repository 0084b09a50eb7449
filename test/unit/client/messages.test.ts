import { describe, expect, test } from 'vitest';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, settle, text } from '../../support/agents.ts';
import { cwd, deliver, messages, openSession, outline, toolCalls } from '../../support/open-session.ts';
import { repeats, says, stateUpdate, toolCall, toolCallUpdate, yes } from '../../support/updates.ts';

/** A session of version 1 in which the agent answers a prompt as `perform` does. */
const prompted = (perform: (agent: ScriptedAgent) => unknown) =>
  openSession('v1', {
    script: (agent) =>
      agent.on('session/prompt', async () => {
        await perform(agent);
        return { stopReason: 'end_turn' };
      }),
    handlers: { requestPermission: ({ options }) => options[0]?.optionId ?? '' },
  });

/** The conversation before and after a turn in which the agent repeats the prompt in this update. */
async function echoed(prompt: string, update: object) {
  const { session, conversation } = await prompted((agent) => agent.update('s1', update));
  const turn = session.prompt(prompt);
  const before = conversation();
  await turn;
  return { before, after: conversation() };
}

test('an echo confirms the prompt, with an id or word for word, and other words without an id are another message', async () => {
  const { before, after } = await echoed('Hello', repeats('Hello', 'u1'));
  expect(messages(before)).toMatchObject([{ origin: 'local', messageId: null, content: [text('Hello')] }]);
  expect(messages(after)).toMatchObject([{ origin: 'live', messageId: 'u1', content: [text('Hello')] }]);
  // The key of the entry stays, for the list that shows it.
  expect(after.entries[0]?.key).toBe(before.entries[0]?.key);
  const { after: other } = await echoed('Hello', repeats('Hello, @file', 'u1'));
  expect(outline(other)).toEqual(['user: Hello, @file']);
  const { before: sent, after: repeated } = await echoed('Hello', repeats('Hello'));
  expect(messages(repeated)).toMatchObject([{ origin: 'live', messageId: null, content: [text('Hello')] }]);
  expect(repeated.entries[0]?.key).toBe(sent.entries[0]?.key);
  const { after: nameless } = await echoed('Hello', repeats('Hello, @file'));
  expect(outline(nameless)).toEqual(['user: Hello', 'user: Hello, @file']);
});

describe('transcripts of real agents', () => {
  test('[agents: empty-chunks] an empty chunk does not begin a message', async () => {
    const { session, conversation } = await prompted((agent) =>
      agent.update('s1', says(''), says('Hello'), says(''), says(' ')),
    );
    await session.prompt('Hi.');
    expect(outline(conversation())).toEqual(['user: Hi.', 'agent: Hello ']);
  });

  test('[agents: updated-before-announced] an update before the announcement of a tool call is kept', async () => {
    const { agent, session, conversation } = await prompted(async (agent) => {
      agent.update('s1', toolCallUpdate({ status: 'in_progress' }));
      await agent.request('session/request_permission', {
        sessionId: 's1',
        toolCall: { toolCallId: 't1', rawInput: { path: 'a' } },
        options: [yes],
      });
      agent.update('s1', toolCall('v1', { title: 'Edit a', kind: 'edit', status: 'pending' }));
      await settle();
    });
    const seen: string[] = [];
    session.store.subscribe(() =>
      seen.push(...toolCalls(conversation()).map(({ title, status }) => `${title} (${status})`)),
    );
    const turn = session.prompt('Edit it.');
    await agent.called('session/prompt');
    await turn;
    expect(seen).toContain('Edit a (in_progress)');
    expect(seen).not.toContain('Edit a (pending)');
    expect(conversation().entries[1]).toMatchObject({ toolKind: 'edit', rawInput: { path: 'a' } });
  });

  test('[agents: words-between-turns] updates between turns are part of the transcript', async () => {
    const { agent, session, conversation } = await prompted(() => {});
    agent.update('s1', says('Agent 1.0. '), { sessionUpdate: 'session_info_update', title: 'New' });
    await settle();
    expect(outline(conversation())).toEqual(['agent: Agent 1.0. ']);
    expect(conversation()).toMatchObject({ activity: { state: 'idle' }, info: { title: 'New' } });
    await session.prompt('Hi.');
    agent.update('s1', {
      sessionUpdate: 'current_mode_update',
      currentModeId: 'https://example.com/mode#plan',
    });
    await settle();
    expect(conversation().modes?.currentModeId).toBe('https://example.com/mode#plan');
  });

  const whole = [repeats('First question.'), says('Ans'), says('wer.')];
  const shown = ['user: First question.', 'agent: Answer.'];
  const welcome = { after: [says('Welcome.')], shown: [...shown, 'agent: Welcome.'] };
  test.each([
    { isSaved: false, before: whole.slice(0, 1), after: whole.slice(1), shown },
    { isSaved: false, before: [says('Ans')], after: [says('wer.')], shown: ['agent: Answer.'] },
    { isSaved: false, before: whole, ...welcome },
    { isSaved: true, before: whole.slice(0, 2), after: whole.slice(2), shown },
    { isSaved: true, before: whole, ...welcome },
  ])(
    '[agents: late-replay] a replay after the answer to the load is folded, and ends no turn (%#)',
    async (row) => {
      const saved = await openSession('v1');
      await deliver(saved.agent, ...whole);
      const { agent, connection } = await connectTo(everything.v1, {
        script: (agent) =>
          agent
            .on('session/load', (_params, agent, id) => {
              agent.update('s1', ...row.before);
              agent.answer(id, {});
              agent.update('s1', ...row.after);
              return noAnswer;
            })
            .on('session/prompt', { stopReason: 'end_turn' }),
      });
      const options = row.isSaved ? { conversation: saved.conversation() } : {};
      const session = await connection.loadSession({ sessionId: 's1', cwd }, options);
      await settle();
      await session.prompt('Next.');
      expect(outline(session.conversation)).toEqual([...row.shown, 'user: Next.']);
      expect(agent.calls('session/load')).toHaveLength(1);
    },
  );

  test('[agents: replayed-twice] a message that is replayed whole and in chunks is one message', async () => {
    const { connection } = await connectTo(everything['v2-baseline'], {
      script: (agent) =>
        agent.on('session/resume', (_params, agent) => {
          agent.update(
            's1',
            { sessionUpdate: 'user_message', messageId: 'u1', content: [] },
            repeats('Question.', 'u1'),
            { sessionUpdate: 'agent_message', messageId: 'a1' },
            says('Ans', 'a1'),
            says('wer.', 'a1'),
            { sessionUpdate: 'agent_message', messageId: 'a1', content: [text('Answer.')] },
            stateUpdate('idle'),
          );
          return {};
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    expect(outline(session.conversation)).toEqual(['user: Question.', 'agent: Answer.']);
  });
});
