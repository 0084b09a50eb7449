import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { memoryStorage } from '../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../src/records/transcripts/storage.ts';
import type { Transcripts } from '../../src/records/transcripts/transcripts.ts';
import { connectTo, dialectNames, everything, loadMethod, settle } from '../support/agents.ts';
import { cwd, outline } from '../support/open-session.ts';
import { runs } from '../support/runs.ts';
import { repeats, says, stateUpdate } from '../support/updates.ts';

/** How a window opens the session: as the agent replays it, with what was saved, or with nothing. */
type Way = 'load' | 'reopen' | 'continue' | 'resume';

type Step =
  | { readonly do: 'open'; readonly window: number; readonly way: Way }
  | { readonly do: 'say'; readonly window: number; readonly text: string; readonly hasCall: boolean }
  | { readonly do: 'end'; readonly window: number }
  | { readonly do: 'load again'; readonly window: number }
  | { readonly do: 'kill'; readonly window: number; readonly replayed: Replayed | undefined };

/** What an agent replays of an answer that was cut off. */
type Replayed = 'less' | 'the same' | 'all';

interface Case {
  readonly dialect: DialectName;
  /** Which messages have ids in version 1. */
  readonly ids: 'none' | 'agent' | 'all';
  /** Whether no record can be removed. */
  readonly isReadOnly: boolean;
  /** How many turns the session had before anything was recorded. */
  readonly earlier: number;
  readonly steps: readonly Step[];
}

const window = fc.nat(2);
const text = fc.constantFrom('Continue.', 'Yes.', 'What is new?');
const open = fc.record({
  do: fc.constant('open' as const),
  window,
  way: fc.constantFrom<Way>('load', 'reopen', 'continue', 'resume'),
});
const say = fc.record({ do: fc.constant('say' as const), window, text, hasCall: fc.boolean() });

const anyCase: fc.Arbitrary<Case> = fc.record({
  dialect: fc.constantFrom(...dialectNames),
  ids: fc.constantFrom('none', 'agent', 'all'),
  isReadOnly: fc.boolean(),
  earlier: fc.nat(2),
  steps: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: open },
      { weight: 4, arbitrary: say },
      fc.record({ do: fc.constant('end' as const), window }),
      fc.record({ do: fc.constant('load again' as const), window }),
      fc.record({
        do: fc.constant('kill' as const),
        window,
        replayed: fc.option(fc.constantFrom<Replayed>('less', 'the same', 'all'), { nil: undefined }),
      }),
    ),
    { minLength: 6, maxLength: 14 },
  ),
});

interface Turn {
  readonly number: number;
  readonly prompt: string;
  readonly hasCall: boolean;
  /** What the agent has of the answer. */
  answer: string;
  /** What of it can be in the transcript. */
  shown: readonly string[];
  readonly at: number;
  readonly openedAt: number;
}

interface Window {
  readonly transcripts: Transcripts;
  readonly connection: ClientConnection;
  readonly session: Session;
  readonly openedAt: number;
  readonly life: { isKilled: boolean };
}

/** Without the ability to replay a session. */
const withoutLoad: Readonly<Record<DialectName, JsonObject | undefined>> = {
  v1: {
    ...everything.v1,
    agentCapabilities: { ...(everything.v1['agentCapabilities'] as JsonObject), loadSession: false },
  },
  'v2-markers': {
    ...everything['v2-markers'],
    capabilities: { session: { resume: {}, close: {}, list: {} } },
  },
  // The baseline has one method for both.
  'v2-baseline': undefined,
};

/** What each entry of a conversation says, and the output of its terminals. */
function contents(conversation: Conversation): readonly string[] {
  return conversation.entries.map((entry) => {
    if (entry.kind !== 'toolCall') return outline({ ...conversation, entries: [entry] }).join();
    const outputs = entry.content.map((each) =>
      each.type === 'terminal' ? conversation.terminals[each.terminalId]?.output : each.type,
    );
    return `${entry.title}, ${entry.status}: ${outputs}`;
  });
}

const whole = (number: number) => `Answer ${number}. It is long.`;

/** Plays windows that record one session at the same time. Returns what is wrong with the transcript after each step. */
async function playWindows({ dialect, ids, isReadOnly, earlier, steps }: Case): Promise<readonly string[]> {
  const isV1 = dialect === 'v1';
  const storage = memoryStorage();
  const dead = new Set<string>();
  const windows = new Map<number, Window>();
  const turns: Turn[] = [];
  const wrong: string[] = [];
  let now = 0;
  let isCreated = earlier > 0;
  let isOpened = false;

  const written = async () => {
    await settle();
    vi.advanceTimersByTime(100);
    await settle();
  };

  /** The storage as a program has it that can be killed. */
  const storageOf = (life: Window['life']): TranscriptStorage => {
    const writers = new Set<string>();
    return {
      ...storage,
      append(batch) {
        if (life.isKilled) return new Promise(() => {});
        writers.add(batch.info.writer);
        return storage.append(batch);
      },
      async read(id) {
        const records = await storage.read(id);
        if (life.isKilled) for (const writer of writers) dead.add(writer);
        const gone = (text: string) => text.replace(`"pid":${process.pid}`, '"pid":2147483646');
        return records.map((each) => (dead.has(each.writer) ? { ...each, text: gone(each.text) } : each));
      },
      async remove(id, some) {
        if (some && isReadOnly) throw new Error('It cannot be removed.');
        if (!life.isKilled) await storage.remove(id, some);
      },
    };
  };

  const userId = ({ number }: Turn) => (isV1 && ids !== 'all' ? undefined : `u${number}`);
  const answerOf = (turn: Turn, said: string) =>
    says(said, isV1 && ids === 'none' ? undefined : `a${turn.number}`);
  const callOf = ({ number, hasCall }: Turn): readonly object[] => {
    if (!hasCall) return [];
    const [toolCallId, data] = [`t${number}`, `out ${number}`];
    const about = { title: `Step ${number}`, status: 'completed' };
    const content = [{ type: 'terminal', terminalId: toolCallId }];
    const printed = { terminal_id: toolCallId, data };
    if (isV1)
      return [
        {
          sessionUpdate: 'tool_call',
          ...about,
          toolCallId,
          content,
          _meta: { terminal_info: { terminal_id: toolCallId } },
        },
        { sessionUpdate: 'tool_call_update', toolCallId, _meta: { terminal_output: printed } },
      ];
    return [
      { sessionUpdate: 'tool_call_update', ...about, toolCallId, content },
      {
        sessionUpdate: 'terminal_output_chunk',
        terminalId: toolCallId,
        data: Buffer.from(data).toString('base64'),
      },
    ];
  };

  /** An agent that has all turns of the session. */
  const script = (agent: ScriptedAgent) => {
    agent
      .on('session/new', { sessionId: 's1' })
      .on('session/resume', {})
      .on('session/prompt', () => {
        const turn = turns.at(-1);
        if (!turn) return noAnswer;
        if (!isV1) agent.update('s1', repeats(turn.prompt, userId(turn)), stateUpdate('running'));
        agent.update('s1', ...callOf(turn), answerOf(turn, turn.shown[0] ?? ''));
        if (turn.shown.length > 1) return isV1 ? noAnswer : { messageId: `u${turn.number}` };
        if (isV1) return { stopReason: 'end_turn' };
        agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
        return { messageId: `u${turn.number}` };
      })
      .on(loadMethod(dialect), () => {
        for (const turn of turns)
          agent.update(
            's1',
            repeats(turn.prompt, userId(turn)),
            ...callOf(turn),
            answerOf(turn, turn.answer),
          );
        return {};
      });
  };

  const openWindow = async (way: Way): Promise<Window> => {
    const life = { isKilled: false };
    const transcripts = await openTranscripts({ storage: storageOf(life) });
    const isContinued = way === 'continue' || way === 'resume';
    const { connection } = await connectTo((isContinued && withoutLoad[dialect]) || everything[dialect], {
      script,
    });
    const params = { sessionId: 's1', cwd };
    const isSaved = (await storage.read('s1')).length > 0;
    const opened = async () => {
      if (!isCreated) {
        isCreated = true;
        return connection.newSession({ cwd });
      }
      if (isSaved && (way === 'reopen' || way === 'continue'))
        return (await transcripts.reopen('s1', connection)).session;
      return connection.supports('session.load')
        ? connection.loadSession(params)
        : connection.resumeSession(params);
    };
    const session = await opened();
    if (!session) throw new Error('The session was not opened.');
    transcripts.record(session);
    return { transcripts, connection, session, openedAt: now, life };
  };

  const begin = (prompt: string, hasCall: boolean, { openedAt }: Pick<Window, 'openedAt'>): Turn => {
    const number = turns.length + 1;
    const answer = whole(number);
    const turn = { number, prompt, hasCall, answer, shown: [answer], at: now, openedAt };
    turns.push(turn);
    return turn;
  };

  const act = async (step: Step): Promise<void> => {
    const known = windows.get(step.window);
    if (step.do === 'open') {
      if (!known) windows.set(step.window, await openWindow(isOpened ? step.way : 'load'));
      isOpened = true;
      return;
    }
    if (!known) return;
    const { transcripts, connection, session, life } = known;
    if (step.do === 'say') {
      begin(step.text, step.hasCall, known);
      await session.prompt(step.text);
    } else if (step.do === 'load again') {
      if (connection.supports('session.load')) await connection.loadSession({ sessionId: 's1', cwd });
    } else if (step.do === 'end') {
      windows.delete(step.window);
      await transcripts.close();
      await connection.close();
    } else {
      windows.delete(step.window);
      if (step.replayed) {
        const turn = begin('Go on.', false, known);
        const all = turn.answer;
        const cut = `Answer ${turn.number}. It`;
        turn.answer = { less: `Answer ${turn.number}.`, 'the same': cut, all }[step.replayed];
        turn.shown = [cut, all];
        void session.prompt('Go on.').catch(() => {});
        await written();
      }
      life.isKilled = true;
      await transcripts.read('s1').catch(() => {});
      await connection.close();
    }
  };

  const label = (said: string) => said.replace(/( It)?( is long\.)?$/, '');
  /** The conversation of a single reader has each turn once, behind those that its window could know. */
  const check = async (name: string) => {
    const reader = await openTranscripts({ storage: storageOf({ isKilled: false }) });
    const conversation = await reader.read('s1').catch(() => undefined);
    const found = (conversation ? contents(conversation) : []).map(label);
    const expected = turns.map(({ number, prompt, hasCall }) => [
      `user: ${prompt}`,
      ...(hasCall ? [`Step ${number}, completed: out ${number}`] : []),
      `agent: Answer ${number}.`,
    ]);
    const places = turns.map(({ number }) => found.indexOf(`agent: Answer ${number}.`));
    const keys = new Set(conversation?.entries.map(({ key }) => key));
    const isWhole =
      Object.isFrozen(conversation?.entries) &&
      keys.size === found.length &&
      found.length === expected.flat().length &&
      expected.every((turn, index) => {
        const end = (places[index] ?? 0) + 1;
        return found.slice(end - turn.length, end).join('\n') === turn.join('\n');
      });
    const isInOrder = turns.every((turn, index) =>
      turns.every((other, at) => other.at >= turn.openedAt || (places[at] ?? 0) < (places[index] ?? 0)),
    );
    const isEachWindow = [...windows.values()].every(({ session }) => {
      const shown = contents(session.conversation).map(label);
      const left = [...found];
      return shown.every((entry) => {
        const place = left.indexOf(entry);
        left.splice(0, place + 1);
        return place >= 0;
      });
    });
    if (!isWhole || !isInOrder || !isEachWindow)
      wrong.push(`${name} ${JSON.stringify({ isWhole, isInOrder, isEachWindow })}: ${found.join(' | ')}`);
  };

  for (let count = 0; count < earlier; count++) begin('Continue.', count > 0, { openedAt: 0 });
  for (const step of steps) {
    now++;
    await act(step);
    await written();
    if (isOpened) await check(`${now} ${step.do}`);
  }
  for (const window of windows.keys()) await act({ do: 'end', window });
  if (isOpened) await check('the end');
  return wrong;
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

const opening = (window: number, way: 'load' | 'reopen' | 'resume') => ({ do: 'open', window, way }) as const;
const saying = (window: number) => ({ do: 'say', window, text: 'Continue.', hasCall: false }) as const;
const ending = (window: number) => ({ do: 'end', window }) as const;
const first = { dialect: 'v1', ids: 'none', isReadOnly: false } as const;
const examples: [Case][] = [
  // A record that takes over an earlier one stands at the place of that one.
  [
    {
      ...first,
      earlier: 0,
      steps: [
        ...[opening(1, 'load'), saying(1), opening(0, 'resume'), saying(0), ending(1)],
        ...[opening(1, 'resume'), saying(1), ending(1), saying(0)],
      ],
    },
  ],
  // What the user says is not what was there before, in a replay or in a record that took a replay over.
  [{ ...first, earlier: 1, steps: [opening(0, 'load'), opening(1, 'resume'), saying(1)] }],
  [
    {
      ...first,
      earlier: 1,
      steps: [
        opening(0, 'load'),
        opening(1, 'reopen'),
        ending(0),
        ending(1),
        opening(2, 'resume'),
        saying(2),
      ],
    },
  ],
];

test('a session in several windows that open, end, are killed and load it again has each entry once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (each) => {
      expect(await playWindows(each)).toEqual([]);
    }),
    { numRuns: runs(60), examples },
  );
});
