import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { actionsOf } from '../../../../../src/programs/inspector/page/turns.ts';
import type { TimelineLine } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';

const folder = new URL('../../../../fixtures/traffic/', import.meta.url);
const recorded = (name: string) => readTimeline(readFileSync(new URL(`${name}.ndjson`, folder), 'utf8'));

const record = (t: number, dir: 'in' | 'out', msg: object) => JSON.stringify({ dir, t, msg });
const update = (t: number, body: object) =>
  record(t, 'in', { method: 'session/update', params: { sessionId: 's1', update: body } });
const prompt = (t: number, id: number, text: string) =>
  record(t, 'out', {
    id,
    method: 'session/prompt',
    params: { sessionId: 's1', prompt: [{ type: 'text', text }] },
  });

/** What took time in a session of an agent that speaks this version. */
async function actionsIn(protocolVersion: 1 | 2, lines: readonly string[]) {
  const capabilities = protocolVersion === 2 && { capabilities: {}, info: { name: 'a', version: '1' } };
  const start = [
    record(0, 'out', { id: 'i', method: 'initialize', params: { protocolVersion, clientCapabilities: {} } }),
    record(0, 'in', { id: 'i', result: { protocolVersion, ...capabilities } }),
    record(0, 'out', { id: 'n', method: 'session/new', params: { cwd: '/', mcpServers: [] } }),
    record(0, 'in', { id: 'n', result: { sessionId: 's1' } }),
  ];
  const [load, ...rest] = shown(await readTimeline([...start, ...lines].join('\n')));
  expect(load).toEqual({ kind: 'load', title: 'session/new', outcome: null, took: 0 });
  return rest;
}

function shown(lines: readonly TimelineLine[]) {
  const timeline = new LoadedTimeline('actions', lines);
  const { times } = timeline;
  return actionsOf(timeline).map(({ kind, title, first, last, outcome }) => ({
    kind,
    title,
    outcome,
    took: last === null ? null : (times[last] ?? 0) - (times[first] ?? 0),
  }));
}

describe('the actions of a timeline', () => {
  test('in version 1 the answer ends a turn, and the last status a tool call', async () => {
    const lines = [
      prompt(0, 1, 'Boil\nwater'),
      update(10, { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Boil', status: 'pending' }),
      record(20, 'in', {
        id: 9,
        method: 'session/request_permission',
        params: { sessionId: 's1', toolCall: { toolCallId: 'c', title: 'Boil' }, options: [] },
      }),
      record(120, 'out', { id: 9, result: { outcome: { outcome: 'selected', optionId: 'once' } } }),
      update(150, {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c',
        status: 'completed',
        title: 'Boil water',
      }),
      record(200, 'in', { id: 1, result: { stopReason: 'end_turn' } }),
    ];
    expect(await actionsIn(1, lines)).toEqual([
      { kind: 'turn', title: 'Boil +1 line', outcome: 'end_turn', took: 200 },
      { kind: 'tool', title: 'Boil water', outcome: 'completed', took: 140 },
      { kind: 'question', title: 'Boil', outcome: 'once', took: 100 },
    ]);
  });

  test('in version 2 the turn goes on after the answer, until the session is idle', async () => {
    const lines = [
      prompt(0, 1, 'Tea'),
      // The session says what it was, before it takes the prompt.
      update(1, { sessionUpdate: 'state_update', state: 'idle' }),
      record(2, 'in', { id: 1, result: { messageId: 'm1' } }),
      update(3, { sessionUpdate: 'state_update', state: 'running' }),
      update(4, { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' }),
      update(90, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' }),
    ];
    expect(await actionsIn(2, lines)).toMatchObject([
      { kind: 'turn', title: 'Tea', outcome: 'cancelled', took: 90 },
      { kind: 'tool', title: 'c' },
    ]);
  });

  test('a turn that fails has the error, one that the end of the agent cuts ends with it, and one that goes on has no end', async () => {
    const lines = [
      prompt(0, 1, 'Tea'),
      record(5, 'in', { id: 1, error: { code: -32603, message: 'No\nwater' } }),
      prompt(6, 2, 'Coffee'),
    ];
    const failed = { kind: 'turn', title: 'Tea', outcome: 'No +1 line', took: 5 };
    expect(await actionsIn(1, lines)).toEqual([
      failed,
      { kind: 'turn', title: 'Coffee', outcome: null, took: null },
    ]);
    const end = record(9, 'in', { method: '$/ended', params: { exitCode: 1, signal: null } });
    expect(await actionsIn(1, [...lines, end])).toEqual([
      failed,
      { kind: 'turn', title: 'Coffee', outcome: 'ended', took: 3 },
    ]);
  });

  test.each(['codex-2.6.0', 'codex-2.6.0.v2', 'opencode-1.18.33'])(
    'each turn of %s has an end',
    async (name) => {
      const turns = shown(await recorded(name)).filter(({ kind }) => kind === 'turn');
      expect(turns.length).toBeGreaterThan(3);
      expect(turns.filter(({ took }) => took === null).length).toBeLessThanOrEqual(1);
    },
  );
});

test('the time never becomes less, and leads to the last row at it', () => {
  const timeline = new LoadedTimeline(
    'times',
    [0, 5, 3, Number.POSITIVE_INFINITY, 30_000].map((t) => ({
      item: { type: 'message', t, dir: 'in', msg: {} },
    })),
  );
  expect(timeline.times).toEqual([0, 5, 5, 5, 30_000]);
  // The slider and the bars have no longer pause than two seconds.
  expect(timeline.drawnTimes).toEqual([0, 5, 5, 5, 2005]);
  expect(timeline.isShortened).toBe(true);
  expect([0, 4, 5, 1500, 2005].map((time) => timeline.indexAt(time))).toEqual([0, 0, 3, 3, 4]);
});

describe('a timeline in the page', () => {
  test('shows the same conversation of a time, in whichever order the times are asked for', async () => {
    const lines = await recorded('sdk-example-0.12.0');
    const forward = new LoadedTimeline('forward', lines);
    const states = forward.rows.map((_, index) => forward.conversationAt(0, index));
    const backward = new LoadedTimeline('backward', lines);
    for (const index of [...states.keys()].reverse()) {
      expect(backward.conversationAt(0, index)).toEqual(states[index]);
    }
    expect(states[0]).toBeUndefined();
    expect(new Set(states).size).toBeGreaterThan(100);
  });

  test('knows which messages made an entry', async () => {
    const timeline = new LoadedTimeline('codex', await recorded('codex-2.6.0'));
    const { entries } = timeline.conversationAt(0, timeline.length - 1) ?? { entries: [] };
    const tool = entries.find((entry) => entry.kind === 'toolCall');
    const made = timeline.itemsOf(0, tool?.key ?? '').map((index) => timeline.rows[index]?.label);
    expect(made[0]).toBe('session/update');
    expect(made.length).toBeGreaterThan(1);
  });
});
