import { describe, expect, test } from 'vitest';
import type { PermissionRequest } from '../../src/core/client/requests/handlers.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { SessionNotice } from '../../src/core/model/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { dialectNames, everything } from '../support/agents.ts';
import { connectFlushable, cwd, flush, messages, openSession, outline } from '../support/open-session.ts';
import { losses } from './losses.ts';
import { tell } from './scenario.ts';

/** What is left when all that a version cannot say is taken out. */
const shared = (conversation: Conversation) =>
  losses.reduce((less, { without }) => without(less), conversation);

/** Lives through the story, and looks at the conversation at each stop. */
async function lived(dialect: DialectName) {
  const asked: PermissionRequest[] = [];
  const notices: SessionNotice[] = [];
  let atQuestion: Conversation | undefined;
  const { connection, diagnostics } = await connectFlushable(everything[dialect], {
    handlers: {
      requestPermission: (request, { session }) => {
        asked.push(request);
        atQuestion = session.conversation;
        return { outcome: 'selected', optionId: 'yes' };
      },
    },
    script: (agent) => tell(dialect, agent),
  });
  const session = await connection.newSession({ cwd });
  session.onNotice((notice) => notices.push(notice));
  const opened = session.conversation;
  const turn = session.prompt('Fix the test.');
  const sent = session.conversation;
  const { stopReason } = await turn;
  const ended = session.conversation;
  await connection.loadSession({ sessionId: 's1', cwd });
  const loaded = session.conversation;
  // The diagnostics of a version are its own.
  expect(diagnostics).toEqual([]);
  return {
    stops: { opened, sent, atQuestion: atQuestion as Conversation, ended, loaded },
    asked,
    notices,
    stopReason,
  };
}

describe.each(dialectNames.filter((dialect) => dialect !== 'v1'))('one story in v1 and in %s', (dialect) => {
  test('gives equal conversations at every stop, less what a version cannot say', async () => {
    const [first, second] = await Promise.all([lived('v1'), lived(dialect)]);
    for (const stop of ['opened', 'sent', 'atQuestion', 'ended', 'loaded'] as const) {
      // The commands come with the session in one version, and in an update of their own in the other.
      const commands = stop === 'ended' || stop === 'atQuestion' ? {} : { commands: [] };
      const [one, other] = [first, second].map(({ stops }) => ({ ...shared(stops[stop]), ...commands }));
      expect(one, stop).toEqual(other);
    }
    expect(outline(first.stops.ended)).toEqual([
      'user: Fix the test.',
      'thought: The test fails.',
      't1: completed',
      'agent: Done: see |<image>|<_hologram>|.',
      'c1: completed',
      '?_weather',
    ]);
  });

  test('asks the same question, tells the same notice, and ends alike', async () => {
    const [first, second] = await Promise.all([lived('v1'), lived(dialect)]);
    const question = ({ asked }: typeof first) =>
      asked.map(({ title, options, toolCall }) => [title, options, toolCall?.toolCallId, toolCall?.status]);
    expect(question(first)).toEqual(question(second));
    expect(question(first)).toHaveLength(1);
    expect(first.notices).toEqual(second.notices);
    expect(first.stopReason).toBe(second.stopReason);
    expect(first.stops.ended.activity).toEqual(second.stops.ended.activity);
  });
});

describe('each loss is one', () => {
  test('`origin` of a prompt while it runs', async () => {
    const origins = async (dialect: DialectName) => {
      const { sent, atQuestion, ended } = (await lived(dialect)).stops;
      return [sent, atQuestion, ended].map(({ entries }) => messages({ entries })[0]?.origin);
    };
    expect(await origins('v1')).toEqual(['local', 'local', 'live']);
    expect(await origins('v2-baseline')).toEqual(['local', 'live', 'live']);
  });

  test('`owner`, `argv`, `size` and `capabilities` of terminals', async () => {
    const terminals = {
      create: () => ({ terminalId: 'x' }),
      output: () => ({ output: 'ok', truncated: false, exitStatus: { exitCode: 0, signal: null } }),
      waitForExit: () => ({ exitCode: 0, signal: null }),
      kill() {},
      release() {},
    };
    const one = await openSession('v1', { handlers: { terminals } });
    await one.agent.request('terminal/create', {
      sessionId: 's1',
      command: 'make',
      args: ['all'],
      cwd: '/w',
    });
    await one.agent.request('terminal/output', { sessionId: 's1', terminalId: 'x' });
    const other = await folded('v2-baseline', [
      {
        sessionUpdate: 'terminal_update',
        terminalId: 'x',
        command: 'make all',
        cwd: '/w',
        output: { data: 'b2s=' },
        exitStatus: { exitCode: 0, signal: null },
        size: { cols: 80, rows: 24 },
        capabilities: { cancel: {} },
      },
    ]);
    expect(one.conversation()).not.toEqual(other);
    expect(shared(one.conversation())).toEqual(shared(other));
  });

  async function folded(dialect: DialectName, updates: readonly object[]): Promise<Conversation> {
    const { agent, conversation } = await openSession(dialect);
    agent.update('s1', ...updates);
    await flush(agent);
    return conversation();
  }

  const shown = losses.flatMap(({ where, example, without }) =>
    example ? [{ where, example, without }] : [],
  );

  test.each(shown)('$where', async ({ example, without }) => {
    const one = await folded('v1', example.v1);
    const other = await folded('v2-baseline', example.v2);
    expect(one).not.toEqual(other);
    expect(without(one)).toEqual(without(other));
  });
});
