import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle, text } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { repeats, says, stateUpdate, toolCall, userMessage } from '../../support/updates.ts';

/** The transcript after a crash during a turn. */

const load = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
const begin = says('I begin.', 'm1');
const unnamed = says('I begin.', null);
const user = repeats('Write it.');
const tool = toolCall('v1', { status: 'in_progress' });
const done = { ...tool, status: 'completed' };
const toolOf2 = toolCall('v2-baseline', { status: 'in_progress' });
const userOf2 = userMessage('u1', 'Write it.');
const v2 = everything['v2-baseline'];

type Way = readonly [
  name: string,
  initialize: JsonObject,
  method: string,
  turn: readonly object[],
  replay: readonly object[],
];

/** An agent of version 1 that loads. */
const ofLoad: Way = ['load of version 1', load, 'session/load', [begin, tool], [user, begin, done]];

/** How an agent opens the session again, and what it sends in the turn and in the replay. */
const ways: readonly Way[] = [
  ofLoad,
  [
    'load of version 1 without ids',
    load,
    'session/load',
    [unnamed, tool],
    [user, unnamed, { ...tool, toolCallId: 'stored' }],
  ],
  ['resume of version 1', everything.v1, 'session/resume', [begin, tool], []],
  ['resume of version 1 that replays', everything.v1, 'session/resume', [begin, tool], [user, begin, tool]],
  ['resume of version 2', v2, 'session/resume', [userOf2, begin, toolOf2], []],
  [
    'resume of version 2 that replays',
    v2,
    'session/resume',
    [userOf2, begin, toolOf2],
    [userOf2, begin, { ...toolOf2, status: 'completed' }],
  ],
];

/** Crashes in a turn, and comes back when the session is open again. `early` updates precede the answer. */
async function crashed([, initialize, method, turn, replay]: Way, early = replay.length) {
  const restarting = await connectRestarting(
    (agent, run) =>
      agent
        .on('initialize', initialize)
        .on(method, (_params, agent, id) => {
          agent.update('s1', ...replay.slice(0, early));
          agent.answer(id, {});
          agent.update('s1', ...replay.slice(early));
          return noAnswer;
        })
        .on('session/prompt', (_params, agent, id) => {
          if (run === 0) agent.update('s1', ...turn);
          else if (initialize['protocolVersion'] === 1) return { stopReason: 'end_turn' };
          else {
            agent.answer(id, { messageId: 'u2' });
            agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
          }
          return noAnswer;
        }),
    { reconnect: { firstDelayMs: 1, maxDelayMs: 5, history: method === 'session/load' ? 'prefer' : 'skip' } },
  );
  const { connection, agents } = restarting;
  const session = await connection.newSession({ cwd });
  const failed = session.prompt('Write it.').catch((error: unknown) => error);
  await agents[0]?.called('session/prompt');
  await settle();
  const before = session.conversation.entries;
  await crash(restarting);
  expect(await failed).toMatchObject({ code: 'connection.closed', promptAccepted: true });
  await settle();
  return { session, before, entries: session.conversation.entries };
}

test.each(ways)('keeps its entries and keys, and continues with the next prompt: %s', async (...way) => {
  const { session, before, entries } = await crashed(way);
  expect(entries.map(({ key }) => key)).toEqual([
    ...before.map(({ key }) => key),
    expect.stringContaining('turnFailure'),
  ]);
  const status = JSON.stringify(way[4]).includes('completed') ? 'completed' : 'cancelled';
  expect(entries).toMatchObject([
    { role: 'user', origin: 'live', content: [text('Write it.')] },
    { role: 'agent', content: [text('I begin.')] },
    // What the agent says of it counts.
    { toolCallId: 't1', status },
    {
      kind: 'turnFailure',
      cause: 'interrupted',
      reason: expect.stringContaining('closed the connection'),
      code: null,
    },
  ]);
  expect(session.conversation.activity.state).toBe('idle');
  expect(await session.prompt('Go on.')).toMatchObject({ stopReason: 'end_turn' });
  const after = session.conversation.entries;
  expect(after.slice(0, -1)).toEqual(entries);
  expect(after.at(-1)).toMatchObject({ role: 'user', content: [text('Go on.')] });
});

/** The way of a load with more at the end of the replay. */
const withMore = (...more: readonly object[]): Way =>
  [...ofLoad.slice(0, 4), [...ofLoad[4], ...more]] as never;

test.each([0, 1, 2, 3, 4, 5])(
  'has what the agent did meanwhile at its end, where %i updates of the replay precede the answer',
  async (early) => {
    const { session } = await crashed(withMore(says('Done ', 'm2'), says('meanwhile.', 'm2')), early);
    const { length } = session.conversation.entries;
    await session.prompt('Go on.');
    expect(session.conversation.entries).toMatchObject([
      { role: 'user' },
      { role: 'agent', messageId: 'm1' },
      { toolCallId: 't1' },
      { kind: 'turnFailure' },
      { role: 'agent', messageId: 'm2', origin: 'replay', content: [text('Done meanwhile.')] },
      { role: 'user' },
    ]);
    expect(length).toBe(early > ofLoad[4].length ? 5 : 4);
  },
);

test('knows a tool call that repeats another one by its words', async () => {
  const { entries } = await crashed(withMore({ ...tool, toolCallId: 't2' }));
  expect(entries.slice(2)).toMatchObject([
    { toolCallId: 't1' },
    { kind: 'turnFailure' },
    { toolCallId: 't2' },
  ]);
});

test('has the terminals of what is new in a replay', async () => {
  const command = {
    ...tool,
    toolCallId: 't2',
    content: [{ type: 'terminal', terminalId: 'w1' }],
    _meta: { terminal_info: { terminal_id: 'w1', command: 'make' } },
  };
  const output = {
    sessionUpdate: 'tool_call_update',
    toolCallId: 't2',
    _meta: { terminal_output: { terminal_id: 'w1', data: 'built' } },
  };
  const { session } = await crashed(withMore(command, output), ofLoad[4].length + 1);
  await session.prompt('Go on.');
  expect(session.conversation).toMatchObject({
    entries: { 4: { toolCallId: 't2', content: [{ terminalId: 'w1' }] } },
    terminals: { w1: { command: 'make', output: 'built' } },
  });
});

test('a message that was cut off is completed from the history, under its key', async () => {
  const [, , , , replay] = ofLoad;
  const cut: Way = [
    'cut',
    load,
    'session/load',
    [says('one two')],
    [replay[0] ?? {}, says('one two three'), done],
  ];
  const { entries, before } = await crashed(cut);
  expect(entries.slice(0, 2).map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(entries).toMatchObject([
    { role: 'user' },
    { role: 'agent', content: [text('one two three')], origin: 'live' },
    { kind: 'turnFailure' },
    { toolCallId: 't1', status: 'completed', origin: 'replay' },
  ]);
});
