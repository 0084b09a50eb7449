import { afterEach, describe, expect, test } from 'vitest';
import { openQuestions } from '../../../src/core/conversation/questions.ts';
import type { Conversation, ToolCallEntry } from '../../../src/core/model/conversation.ts';
import { exportConversation } from '../../../src/records/saved/export.ts';
import { importConversation } from '../../../src/records/saved/import.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { toAgUiMessages } from '../../../src/ui/ag-ui/messages.ts';
import { toUIMessages } from '../../../src/ui/ai-sdk/messages.ts';
import { checkAgUiTurn } from '../../support/ag-ui-turns.ts';
import { dialectNames, everything, loadMethod, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { mergeConversations } from '../../support/merged-recordings.ts';
import { deliver, openSession, outline, toolCalls } from '../../support/open-session.ts';
import { asks, closeAll, cwd, expectSame, live, params } from '../../support/recorded-session.ts';
import { checkLaw } from '../../support/ui-messages.ts';
import { endTurn, repeats, stateUpdate, toolCall, toolCallUpdate, working } from '../../support/updates.ts';

afterEach(closeAll);

const call = (fields: object = {}) => toolCall('v1', { toolCallId: 't', title: 'Run', ...fields });
const update = (fields: object = {}) => toolCallUpdate(fields, 't');
const item = (said: string) => ({ type: 'content', content: text(said) });
const base64 = (said: string) => Buffer.from(said).toString('base64');

test('[agents: late-tool-call] a late update is applied to the existing entry', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    answers: { 'session/prompt': noAnswer },
  });
  const turn = session.prompt('Go');
  const { id } = await agent.called('session/prompt');
  await deliver(agent, call({ status: 'completed' }), { ...call(), toolCallId: 'u' });
  await session.cancel();
  agent.answer(id as number, { stopReason: 'cancelled' });
  await turn;
  expect(outline(conversation())).toEqual(['user: Go', 't: completed', 'u: cancelled']);
  await deliver(agent, update({ content: [item('late')] }), {
    ...update({ status: 'failed' }),
    toolCallId: 'u',
  });
  expect(outline(conversation())).toEqual(['user: Go', 't: completed', 'u: failed']);
  expect(toolCalls(conversation())[0]?.content).toEqual([item('late')]);
});

const done = { title: 'Run x', status: 'completed', rawInput: { a: 1 }, content: [item('x')] };
const refused = { title: 'Run x', status: 'failed', rawInput: { a: 1 } };
const next = repeats('Next');

test.each<[name: string, updates: readonly object[], shown: readonly string[]]>([
  ['a second announcement', [call(), call({ title: 'Run x', rawInput: { a: 1 } })], ['t: pending']],
  ['a second announcement at the end', [call(done), call(done)], ['t: completed']],
  // Some agents announce a call that the user refused after its end.
  [
    'an announcement after the end',
    [update(refused), call({ ...refused, status: 'pending' })],
    ['t: failed'],
  ],
  ['another end', [call(done), update({ status: 'failed' }), update({ rawOutput: 1 })], ['t: failed']],
  ['the same end with more output', [call(done), update({ ...done, rawOutput: 1 })], ['t: completed']],
  ['the same end in another turn', [call(done), next, update(done)], ['t: completed', 'user: Next']],
  // OpenCode announces calls of earlier turns again, under the name of the tool, and ends them again.
  [
    'the whole call in another turn',
    [call(done), next, call({ title: 'bash', rawInput: {} }), update(done)],
    ['t: completed', 'user: Next'],
  ],
  [
    'a call with another output in another turn, which is another one',
    [call(done), next, call({ title: 'bash', rawInput: {} }), update({ ...done, content: [item('y')] })],
    ['t: completed', 'user: Next', 't: completed'],
  ],
])('[agents: announced-twice] what a tool call of version 1 becomes by %s', async (_, updates, shown) => {
  const { agent, conversation } = await openSession('v1');
  await deliver(agent, ...updates);
  expect(outline(conversation())).toEqual(shown);
  expect(toolCalls(conversation())[0]).toMatchObject({ title: 'Run x', rawInput: { a: 1 } });
});

describe.each(dialectNames)('tool calls with one id, in %s', (dialect) => {
  const isV1 = dialect === 'v1';
  /** The updates of a call that runs a command in a terminal with the id of the call. */
  const step = (n: number): readonly object[] => {
    const begin = { title: `Step ${n}`, status: 'in_progress', rawInput: { n } };
    const content = [{ type: 'terminal', terminalId: 't' }];
    const about = { terminal_id: 't' };
    const printed = {
      terminal_output: { ...about, data: `out ${n}` },
      terminal_exit: { ...about, exit_code: 0 },
    };
    if (isV1)
      return [
        call({ ...begin, content, _meta: { terminal_info: about } }),
        update({ status: 'completed', _meta: printed }),
      ];
    const terminal = { sessionUpdate: 'terminal_update', terminalId: 't' };
    return [
      { ...terminal, command: `run ${n}` },
      update({ ...begin, content }),
      { sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: base64(`out ${n}`) },
      { ...terminal, exitStatus: { exitCode: 0 } },
      update({ status: 'completed' }),
    ];
  };
  /** A call as agents replay it: in one update. */
  const whole = (n: number) =>
    (isV1 ? call : update)({
      title: `Step ${n}`,
      status: 'completed',
      rawInput: { n },
      content: [item(`out ${n}`)],
    });
  /** What each message and each call shows, in their order. */
  const contents = (conversation: Conversation) =>
    conversation.entries.map((entry) => {
      if (entry.kind !== 'toolCall') return outline({ ...conversation, entries: [entry] }).join();
      const said = entry.content.map((each) => {
        if (each.type === 'terminal') return conversation.terminals[each.terminalId]?.output;
        return each.type === 'content' && each.content.type === 'text' ? each.content.text : each.type;
      });
      return `${entry.title}, ${JSON.stringify(entry.rawInput)}, ${entry.status}: ${said}`;
    });
  const expected = (turns: readonly (readonly number[])[]) =>
    turns.flatMap((calls, turn) => [
      `user: Turn ${turn}`,
      ...calls.map((n) => `Step ${n}, {"n":${n}}, completed: out ${n}`),
    ]);
  const prompt = (turn: number) => repeats(`Turn ${turn}`, isV1 ? undefined : `u${turn}`);
  /** An agent whose turns make these calls, and that replays them. */
  const making = (turns: readonly (readonly number[])[], replayed = step) => {
    let turn = -1;
    return (agent: ScriptedAgent) =>
      agent
        .on('session/prompt', () => {
          turn++;
          if (!isV1) agent.update('s1', prompt(turn), stateUpdate('running'));
          agent.update('s1', ...(turns[turn] ?? []).flatMap(step));
          if (isV1) return { stopReason: 'end_turn' };
          agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
          return { messageId: `u${turn}` };
        })
        .on(loadMethod(dialect), () => {
          for (const [index, calls] of turns.entries())
            agent.update('s1', prompt(index), ...calls.flatMap((n) => replayed(n)));
          return {};
        });
  };
  const one = (n: number) => [whole(n)];
  const madeIn = async (turns: readonly (readonly number[])[]) => {
    const { connection } = await live(everything[dialect], making(turns));
    const session = await connection.newSession({ cwd });
    for (const index of turns.keys()) await session.prompt(`Turn ${index}`);
    return session.conversation;
  };

  test.each([
    ['in one turn', [[1, 2, 2, 3]], step],
    ['in each turn', [[1], [1], [2]], step],
    ['in each turn, replayed in one update each', [[1, 2], [2], [1]], one],
  ])('are entries of their own: %s', async (_, turns, replayed) => {
    const run = await live(everything[dialect], making(turns, replayed));
    const session = await run.connection.newSession({ cwd });
    const transcripts = await openTranscripts({ storage: memoryStorage() });
    const stop = transcripts.record(session);
    for (const index of turns.keys()) {
      const turn = session.prompt(`Turn ${index}`);
      // What the readers of chats make of the turn.
      await Promise.all([checkLaw(session, turn), checkAgUiTurn(session, turn)]);
    }
    expect(contents(session.conversation)).toEqual(expected(turns));
    await expectSame(run, session);
    const saved = importConversation(JSON.parse(JSON.stringify(exportConversation(session.conversation))));
    expect(saved).toEqual(session.conversation);
    await stop();
    expect(await transcripts.read('s1')).toEqual(saved);
    const ids = toUIMessages(saved).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.toolCallId] : [])),
    );
    expect([new Set(ids).size, ids.includes('t')]).toEqual([turns.flat().length, true]);
    const messageIds = toAgUiMessages(saved).map(({ id }) => id);
    expect(new Set(messageIds).size).toBe(messageIds.length);
    // A load gives the same, also a second time, and so does the join with what was recorded.
    for (let times = 0; times < 2; times++) {
      await run.connection.loadSession(params);
      expect(contents(session.conversation)).toEqual(expected(turns));
    }
    await expectSame(run, session);
    expect(contents(mergeConversations(saved, session.conversation))).toEqual(expected(turns));
  });

  test('are there once in a session that continues a saved one, and in a join with what came after it', async () => {
    const turns = [[1], [2, 2], [2, 3]];
    const saved = await madeIn(turns.slice(0, 2));
    const continuing = await live(everything[dialect], making(turns));
    const continued = await continuing.connection.loadSession(params, { conversation: saved });
    expect(contents(continued.conversation)).toEqual(expected(turns));
    const after = await madeIn([[4], [5]]);
    const calls = contents(mergeConversations(saved, after)).filter((line) => line.startsWith('Step'));
    expect(calls.sort()).toEqual(expected([[1, 2, 2, 4, 5]]).slice(1));
  });

  test.each(['an earlier turn', 'the same turn'])(
    'show nothing of one of %s that has ended, while they wait for a permission',
    async (place) => {
      const seen: (ToolCallEntry | null)[] = [];
      const { agent, session } = await openSession(dialect, {
        script: working(dialect),
        handlers: {
          requestPermission: ({ toolCall: about }) => {
            seen.push(about);
            expect(session.conversation.entries.at(-1)).toBe(about);
            return 'yes';
          },
        },
      });
      const begin = async (turn: number) => {
        session.prompt(`Turn ${turn}`).catch(() => {});
        await eventually(() => agent.calls('session/prompt').length).toBe(turn + 1);
        if (!isV1) agent.update('s1', repeats(`Turn ${turn}`, `u${turn + 1}`));
      };
      await begin(0);
      agent.update('s1', ...step(1), update({ locations: [{ path: '/one' }] }));
      if (place === 'an earlier turn') {
        await endTurn(dialect, agent);
        await begin(1);
      }
      await asks(dialect, agent, { toolCallId: 't', title: 'S2' });
      expect(seen).toEqual([
        {
          ...{
            kind: 'toolCall',
            key: 'tool#2:t',
            toolCallId: 't',
            title: 'S2',
            toolKind: 'other',
            name: null,
          },
          ...{
            status: 'pending',
            content: [],
            locations: [],
            capabilities: null,
            origin: 'live',
            meta: null,
          },
          permission: expect.objectContaining({ options: [expect.objectContaining({ optionId: 'yes' })] }),
        },
      ]);
      expect(contents(session.conversation)).toContain('Step 1, {"n":1}, completed: out 1');
    },
  );

  test.each([
    ['A', 'B'],
    ['B', 'A'],
  ])('are each asked about, and the one that is answered first ends first: %s', async (...order) => {
    const answers = new Map<string, (optionId: string) => void>();
    const { agent, session } = await openSession(dialect, {
      answers: { 'session/prompt': noAnswer },
      handlers: {
        requestPermission: ({ toolCall: asked }) =>
          new Promise((resolve) => answers.set(asked?.title ?? '', resolve)),
      },
    });
    session.prompt('Go').catch(() => {});
    const [a, b] = ['A', 'B'].map((title) => asks(dialect, agent, { toolCallId: 't', title }));
    await eventually(() => [...answers.keys()]).toEqual(['A', 'B']);
    const asked = () => openQuestions(session.conversation).map(({ toolCall: { title } }) => title);
    const left = ['A', 'B'];
    for (const title of order) {
      expect(asked()).toEqual(left);
      answers.get(title)?.('yes');
      expect((await (title === 'A' ? a : b))?.result).toEqual({
        outcome: { outcome: 'selected', optionId: 'yes' },
      });
      left.splice(left.indexOf(title), 1);
      await deliver(agent, update({ status: 'completed', rawOutput: title }));
    }
    expect(toolCalls(session.conversation)).toMatchObject(
      ['A', 'B'].map((title) => ({ title, status: 'completed', rawOutput: title, permission: null })),
    );
  });
});
