import { describe, expect, test } from 'vitest';
import { dialectNames, text } from '../support/agents.ts';
import { deliver, flush, openSession, outline, sent } from '../support/open-session.ts';
import { hasASubagent } from './dialects.ts';

const announced = { sessionUpdate: 'subagent_update', sessionId: 'child' };

describe.each(dialectNames)('%s', (dialect) => {
  test('[76] v1, v2, v2-markers a subagent has a conversation, and its permission requests reach the user', () =>
    hasASubagent(dialect));

  test('[77] v1, v2, v2-markers the work of a subagent is cancelled only if its agent permits that, and nothing else is sent', async () => {
    const { agent, connection, session } = await openSession(dialect);
    await deliver(agent, announced);
    const before = sent(agent).length;
    const [subagent] = session.subagents;
    const prompt = { sessionId: 'child', prompt: [text('Go on.')] };
    for (const call of [
      () => subagent?.cancel(),
      () => connection.request('session/prompt', prompt),
      () => connection.loadSession({ sessionId: 'child', cwd: '/a' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'usage.capability' });
    }
    await deliver(agent, { ...announced, capabilities: { cancel: {} } });
    await subagent?.cancel();
    await flush(agent);
    expect(sent(agent).slice(before)).toMatchObject([
      { method: 'session/cancel', params: { sessionId: 'child' } },
    ]);
  });

  test('[78] v1, v2, v2-markers the state of a subagent is what the agent reports, and an omitted one is kept', async () => {
    const { agent, session } = await openSession(dialect);
    const states: unknown[] = [];
    for (const update of [
      announced,
      { ...announced, state: { state: 'running' } },
      { ...announced, title: 'Search' },
      { ...announced, state: { state: 'idle', stopReason: 'cancelled' } },
      { ...announced, state: null },
    ]) {
      await deliver(agent, update);
      const state = session.subagents[0]?.state;
      states.push(state && [state.state, state.stopReason]);
    }
    expect(states).toEqual([null, ['running', null], ['running', null], ['idle', 'cancelled'], null]);
  });

  test('[79] v1, v2, v2-markers a message between sessions has one entry in the transcript of each, for all its updates', async () => {
    const { agent, session, conversation } = await openSession(dialect);
    const message = { messageId: 'm1', senderSessionId: 's1', recipientSessionId: 'child' };
    const chunk = (said: string) => ({
      sessionUpdate: 'session_message_chunk',
      messageId: 'm1',
      content: text(said),
    });
    agent.update(
      's1',
      announced,
      chunk('Find '),
      { sessionUpdate: 'session_message', ...message },
      chunk('it.'),
    );
    agent.update('child', { sessionUpdate: 'session_message', ...message, content: [text('Find it.')] });
    await flush(agent);
    expect(outline(conversation())).toEqual(['session message: Find it.']);
    expect(conversation().entries).toMatchObject([{ kind: 'sessionMessage', ...message }]);
    const found = session.subagents.map((subagent) => outline(subagent.conversation));
    expect(found).toEqual([['session message: Find it.']]);
  });
});
