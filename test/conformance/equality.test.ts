import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { PermissionRequest } from '../../src/core/client/requests/handlers.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { SessionNotice } from '../../src/core/model/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, loadMethod } from '../support/agents.ts';
import { connectFlushable, cwd, foldedIn, messages, openSession, outline } from '../support/open-session.ts';
import { stateUpdate, userMessage } from '../support/updates.ts';
import { losses } from './losses.ts';

/**
 * One story in the words of each version: a session is opened, a prompt runs with a plan, a tool call, a permission and
 * an answer, and the session is loaded again. `story.txt` has what the agent sends, one message in each line.
 */
const story: ReadonlyMap<string, readonly JsonObject[]> = new Map(
  readFileSync(new URL('story.txt', import.meta.url), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.trim().split('\n');
      return [name, lines.map((line) => JSON.parse(line))];
    }),
);

type Part = 'opened' | 'before' | 'permission' | 'after' | 'history';

/** What an agent sends in a part of the story. */
function told(dialect: DialectName, part: Part): readonly JsonObject[] {
  return story.get(`${dialect.slice(0, 2)}: ${part}`) ?? [];
}

/** How a prompt is answered, around what happens in it. */
type Play = (agent: ScriptedAgent, id: string | number, middle: () => Promise<void>) => Promise<unknown>;

const playV1: Play = async (_agent, _id, middle) => {
  await middle();
  return { stopReason: 'end_turn' };
};

const playV2: Play = async (agent, id, middle) => {
  agent.update('s1', userMessage('u1', 'Fix the test.'), stateUpdate('running'));
  agent.answer(id, { messageId: 'u1' });
  await middle();
  agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
  return noAnswer;
};

/** Writes the story into an agent. */
function tell(dialect: DialectName, agent: ScriptedAgent): void {
  const [opened = {}] = told(dialect, 'opened');
  const [permission = {}] = told(dialect, 'permission');
  const play = dialect === 'v1' ? playV1 : playV2;
  agent
    .on('session/new', { sessionId: 's1', ...opened })
    .on('session/prompt', (_params, agent, id) =>
      play(agent, id, async () => {
        agent.update('s1', ...told(dialect, 'before'));
        await agent.request('session/request_permission', permission);
        agent.update('s1', ...told(dialect, 'after'));
      }),
    )
    .on(loadMethod(dialect), (_params, agent) => {
      agent.update('s1', ...told(dialect, 'history'));
      return opened;
    });
}

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

  const folded = async (dialect: DialectName, updates: readonly object[]) =>
    (await foldedIn(dialect, ...updates)).conversation;

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
