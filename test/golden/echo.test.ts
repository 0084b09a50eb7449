import { expect, test } from 'vitest';
import { RequestError } from '../../src/rpc/request-error.ts';
import { type ScriptedAgent, silence } from '../../src/testing/scripted-agent.ts';
import { text } from '../support/agents.ts';
import { flush, messages, openSession, outline } from '../support/open-session.ts';

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

test('11. an echo with an id confirms the prompt, whatever it says; one without an id is a message of its own', async () => {
  const { before, after } = await echoed('Hello', userChunk('Hello', 'u1'));
  expect(messages(before)).toMatchObject([{ origin: 'local', messageId: null, content: [text('Hello')] }]);
  expect(messages(after)).toMatchObject([{ origin: 'live', messageId: 'u1', content: [text('Hello')] }]);
  // The key of the entry stays, for the list that shows it.
  expect(after.entries[0]?.key).toBe(before.entries[0]?.key);
  const { after: other } = await echoed('Hello', userChunk('Hello, @file', 'u1'));
  expect(outline(other)).toEqual(['user: Hello, @file']);
  const { after: nameless } = await echoed('Hello', userChunk('Hello'));
  expect(outline(nameless)).toEqual(['user: Hello', 'user: Hello']);
});

test('12. the same text twice is two messages', async () => {
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

test('13. in version 2 receipt and echo make one message in any order, and each may lack', async () => {
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
          return silence;
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

test('13. in version 2 a prompt that is refused goes, and the text is the caller’s again', async () => {
  const { session, conversation } = await openSession('v2-baseline', {
    script: (agent) =>
      agent.on('session/prompt', () => {
        throw new RequestError(-32603, 'Full');
      }),
  });
  await expect(session.prompt('Go')).rejects.toMatchObject({ rpcCode: -32603 });
  expect(conversation().entries).toEqual([]);
});

test('14. an echo in several chunks, with the agent’s own wording, is one message', async () => {
  const { after } = await echoed('See @a', userChunk('See ', 'u1'), userChunk('<file a>', 'u1'));
  expect(outline(after)).toEqual(['user: See <file a>']);
  const { agent, session, conversation } = await openSession('v2-baseline', {
    script: (agent) =>
      agent.on('session/prompt', (_params, agent, id) => {
        agent.update('s1', state('running'), userChunk('See ', 'u1'));
        agent.answer(id, { messageId: 'u1' });
        agent.update('s1', userChunk('<file a>', 'u1'));
        return silence;
      }),
  });
  const turn = session.prompt('See @a');
  await turn.accepted;
  await flush(agent);
  expect(outline(conversation())).toEqual(['user: See <file a>']);
  agent.update('s1', state('idle'));
  await turn;
});
