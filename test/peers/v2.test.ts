import { describe, expect, test } from 'vitest';
import { until } from '../support/eventually.ts';
import { outline } from '../support/open-session.ts';
import { testBothVersions } from './official.ts';

const cwd = '/home/user/project';

describe.each(['v2', 'v2-unstable'])('the official SDK as an agent of version 2: %s', (kind) => {
  const official = testBothVersions({
    kind,
    version: 2,
    cwd: () => cwd,
    asks: {
      title: 'May I write?',
      subject: { type: 'tool_call', toolCallId: 't2' },
      toolCall: { toolCallId: 't2', title: 'Write', toolKind: 'edit' },
    },
    talks: {
      capabilities: { cancel: {} },
      content: [
        { type: 'diff', patch: { format: 'git_patch' }, changes: [{ operation: 'modify', path: '/a' }] },
      ],
    },
  });

  test('initialize: version 2, with the half that is meant for it', async () => {
    await official().seen();
    const [initialize] = official().received;
    expect(initialize?.params).toMatchObject({
      protocolVersion: 2,
      info: { name: 'my-editor', version: '1.0.0' },
      capabilities: { auth: { terminal: {} }, elicitation: { form: {} } },
    });
  });

  test('terminals of the agent’s are shown, and stopped one by one where they offer it', async () => {
    const session = await official().connection.newSession({ cwd });
    const turn = session.prompt('terminal');
    const shown = () => session.conversation.terminals['x'];
    await until(session.store, ({ terminals }) => (terminals['x']?.output ?? '') !== '');
    expect(shown()).toMatchObject({ command: 'make', cwd: '/w', capabilities: { cancel: {} } });
    await session.cancelTerminal('x');
    await turn;
    expect(shown()?.output).toBe('building\n');
    expect(shown()).toMatchObject({ exitStatus: { signal: 'SIGTERM' }, capabilities: null });
    await expect(session.cancelTerminal('x')).rejects.toMatchObject({ code: 'usage.capability' });
    expect(outline(session.conversation)).toEqual(['user: terminal', 't3: cancelled']);
  });

  test('tool calls are stopped one by one where they offer it', async () => {
    const session = await official().connection.newSession({ cwd });
    await session.prompt('talk');
    await official().seen();
    await session.cancelToolCall('t1');
    expect(await official().seen()).toEqual([
      { method: 'tool_call/cancel', params: { sessionId: session.sessionId, toolCallId: 't1' } },
    ]);
  });

  test('there are no modes', async () => {
    const session = await official().connection.newSession({ cwd });
    await expect(session.setMode('code')).rejects.toMatchObject({ code: 'usage.capability' });
  });
});
