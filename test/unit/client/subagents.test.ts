import { describe, expect, test } from 'vitest';
import type { ClientHandlers } from '../../../src/client/requests/handlers.ts';
import { textOf } from '../../../src/conversation/select.ts';
import { connectTo, everything, settle } from '../../support/agents.ts';

const cwd = '/home/user/project';

describe.each(['v2-markers', 'v2-baseline'] as const)('subagents in %s', (dialect) => {
  async function withSession(handlers: ClientHandlers = {}) {
    const connected = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/new', { sessionId: 'parent' }).on('session/close', {}),
      handlers,
    });
    return { ...connected, session: await connected.connection.newSession({ cwd }) };
  }

  const started = { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' } as const;
  const said = (messageId: string, text: string) =>
    ({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } }) as const;

  test('a child session is registered, and its updates are in its own conversation', async () => {
    const { agent, session, diagnostics } = await withSession();
    agent.update('parent', started);
    agent.update('child', said('m1', 'Found it.'));
    agent.update('parent', { ...started, title: 'Search the tests', description: 'Finds tests.' });
    await settle();
    expect(session.subagents).toMatchObject([
      {
        sessionId: 'child',
        parentSessionId: 'parent',
        title: 'Search the tests',
        description: 'Finds tests.',
      },
    ]);
    const [entry] = session.subagents[0]?.conversation.getSnapshot().entries ?? [];
    expect(entry?.kind === 'message' && textOf(entry)).toBe('Found it.');
    expect(session.conversation.getSnapshot().entries).toEqual([]);
    expect(diagnostics).toEqual([]);
  });

  test('a permission request of a subagent reaches the handler with the session of the user', async () => {
    const asked: unknown[] = [];
    const { agent } = await withSession({
      requestPermission(_request, { session, subagent }) {
        asked.push([session?.sessionId, subagent?.sessionId, subagent?.title]);
        return { outcome: 'selected', optionId: 'yes' };
      },
    });
    agent.update('parent', started);
    const params = {
      sessionId: 'child',
      title: 'Run a command',
      subject: { type: 'tool_call', toolCall: { toolCallId: 't1', title: 'npm test' } },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    };
    const answer = await agent.request('session/request_permission', params);
    expect(answer.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
    expect(asked).toEqual([['parent', 'child', 'Search']]);
  });

  test('a subagent of a subagent belongs to the session of the user', async () => {
    const { agent, session } = await withSession();
    agent.update('parent', started);
    agent.update('child', { ...started, sessionId: 'grandchild' });
    await settle();
    expect(session.subagents.map(({ sessionId, parentSessionId }) => [sessionId, parentSessionId])).toEqual([
      ['child', 'parent'],
      ['grandchild', 'child'],
    ]);
  });

  test('a question of a subagent ends when its session is closed', async () => {
    const signals: AbortSignal[] = [];
    const { agent, session } = await withSession({
      requestPermission(_request, { signal }) {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    agent.update('parent', started);
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const toolCall = { toolCallId: 't1', title: 'npm test' };
    const subject = { type: 'tool_call', toolCall };
    const params = { sessionId: 'child', title: 'Run a command', subject, options };
    const answer = agent.request('session/request_permission', params);
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await session.close();
    expect((await answer).result).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('the subagents of a closed session take no more updates', async () => {
    const { agent, session } = await withSession();
    agent.update('parent', started);
    await settle();
    const [subagent] = session.subagents;
    await session.close();
    agent.update('child', said('m1', 'Too late.'));
    await settle();
    expect(subagent?.conversation.getSnapshot().entries).toEqual([]);
  });
});
