import { describe, expect, test } from 'vitest';
import type { ConversationEvent } from '../../../src/model/event.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, settle, text } from '../../support/agents.ts';
import { cwd, flush, openSession } from '../../support/open-session.ts';

const chunk = (messageId: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: text('Hi.'),
});
const title = { sessionUpdate: 'session_info_update', title: 'Tea' };

describe.each(dialectNames)('listeners in %s', (dialect) => {
  test('onUpdate gives every update, with the _meta beside it', async () => {
    const { agent, session } = await openSession(dialect);
    const seen: unknown[] = [];
    const stop = session.onUpdate(({ sessionUpdate }, context) => seen.push([sessionUpdate, context]));
    const _meta = { trace: 'abc' };
    agent.notify('session/update', { sessionId: 's1', update: chunk('m1'), _meta });
    agent.update('s1', title);
    await flush(agent);
    stop();
    agent.update('s1', chunk('m2'));
    await flush(agent);
    expect(seen).toEqual([
      ['agent_message_chunk', { meta: _meta }],
      ['session_info_update', {}],
    ]);
  });

  test('onUpdate leaves out the rest of a load that was given up, and gives what is so now', async () => {
    const method = dialect === 'v2-baseline' ? 'session/resume' : 'session/load';
    const { agent, connection, session } = await openSession(dialect, {
      script: (agent) => agent.on(method, () => noAnswer),
    });
    const user = new AbortController();
    const loading = connection.loadSession({ sessionId: 's1', cwd }, { signal: user.signal });
    await agent.called(method);
    user.abort('enough');
    await expect(loading).rejects.toBe('enough');
    const seen: string[] = [];
    session.onUpdate(({ sessionUpdate }) => seen.push(sessionUpdate));
    agent.update('s1', chunk('m1'), title);
    await flush(agent);
    expect(seen).toEqual(['session_info_update']);
  });

  test('onUpdate gives what comes after a load, too', async () => {
    const method = dialect === 'v2-baseline' ? 'session/resume' : 'session/load';
    const { agent, connection, diagnostics } = await connectTo(everything[dialect], {
      script: (agent) => agent.on(method, {}),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    const seen: string[] = [];
    session.onUpdate(({ sessionUpdate }) => seen.push(sessionUpdate));
    agent.update('s1', chunk('m1'));
    await settle();
    expect(seen).toEqual(['agent_message_chunk']);
    expect(diagnostics).toEqual([]);
  });

  test('onNotice and onEvent give a notice', async () => {
    const { agent, session } = await openSession(dialect);
    const notices: unknown[] = [];
    const events: ConversationEvent[] = [];
    const stop = session.onNotice((notice) => notices.push(notice));
    session.onEvent((event) => events.push(event));
    agent.update('s1', {
      sessionUpdate: 'notice',
      severity: 'error',
      title: 'Full',
      description: 'No room.',
    });
    agent.update('s1', { sessionUpdate: 'notice', severity: 'info', title: 'Look' });
    await flush(agent);
    stop();
    agent.update('s1', { sessionUpdate: 'notice', severity: 'info', title: 'Again' });
    await flush(agent);
    const expected = [
      { severity: 'error', title: 'Full', description: 'No room.' },
      { severity: 'info', title: 'Look', description: null },
    ];
    expect(notices).toEqual(expected);
    expect(events.slice(0, 2)).toEqual(expected.map((notice) => ({ type: 'notice', notice })));
  });
});

test.each(['v2-markers', 'v2-baseline'] as const)(
  'onEvent gives a permission request that is about no tool call (%s)',
  async (dialect) => {
    const { agent, session } = await openSession(dialect, {
      handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'yes' }) },
    });
    const events: ConversationEvent[] = [];
    session.onEvent((event) => events.push(event));
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    await agent.request('session/request_permission', { sessionId: 's1', title: 'Use the network', options });
    expect(events.filter(({ type }) => type === 'permission')).toMatchObject([
      { type: 'permission', permission: { title: 'Use the network', options }, toolCall: null },
    ]);
  },
);
