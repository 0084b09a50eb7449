import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { Actions } from '../../../../../src/programs/inspector/page/turns.ts';
import type { TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';

const at = (t: number, dir: 'in' | 'out', msg: object): TimelineItem => ({ type: 'message', dir, t, msg });
const update = (t: number, body: object) =>
  at(t, 'in', { method: 'session/update', params: { sessionId: 's1', update: body } });
const prompt = (t: number, id: number, text: string) =>
  at(t, 'out', {
    id,
    method: 'session/prompt',
    params: { sessionId: 's1', prompt: [{ type: 'text', text }] },
  });

function actionsOf(items: readonly TimelineItem[]) {
  const { rows, times } = new LoadedTimeline('actions', items);
  return new Actions().update(rows).map(({ kind, title, first, last, outcome }) => ({
    kind,
    title,
    outcome,
    took: last === null ? null : (times[last] ?? 0) - (times[first] ?? 0),
  }));
}

describe('the actions of a timeline', () => {
  test('in version 1 the answer ends a turn, and the last status a tool call', () => {
    const items = [
      prompt(0, 1, 'Boil\nwater'),
      update(10, { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Boil', status: 'pending' }),
      at(20, 'in', {
        id: 9,
        method: 'session/request_permission',
        params: { sessionId: 's1', toolCall: { title: 'Boil' } },
      }),
      at(120, 'out', { id: 9, result: { outcome: { outcome: 'selected', optionId: 'once' } } }),
      update(150, {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c',
        status: 'completed',
        title: 'Boil water',
      }),
      update(170, { sessionUpdate: 'tool_call_update', toolCallId: 'c', rawOutput: {} }),
      at(200, 'in', { id: 1, result: { stopReason: 'end_turn' } }),
    ];
    expect(actionsOf(items)).toEqual([
      { kind: 'turn', title: 'Boil +1 line', outcome: 'end_turn', took: 200 },
      { kind: 'tool', title: 'Boil water', outcome: 'completed', took: 140 },
      { kind: 'question', title: 'Boil', outcome: 'once', took: 100 },
    ]);
  });

  test('in version 2 the turn goes on after the answer, until the session is idle', () => {
    const items = [
      prompt(0, 1, 'Tea'),
      // The session says what it was, before it takes the prompt.
      update(1, { sessionUpdate: 'state_update', state: 'idle' }),
      at(2, 'in', { id: 1, result: { messageId: 'm1' } }),
      // A command in the background has ended.
      update(2, { sessionUpdate: 'state_update', state: 'idle', background: [] }),
      update(3, { sessionUpdate: 'state_update', state: 'running' }),
      update(4, { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' }),
      update(90, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' }),
    ];
    expect(actionsOf(items)).toEqual([
      { kind: 'turn', title: 'Tea', outcome: 'cancelled', took: 90 },
      { kind: 'tool', title: 'c', outcome: 'left open', took: 86 },
    ]);
  });

  test('a turn that fails has the error, and one that goes on has no end', () => {
    const items = [
      prompt(0, 1, 'Tea'),
      at(5, 'in', { id: 1, error: { code: -32603, message: 'No\nwater' } }),
      prompt(6, 2, 'Coffee'),
    ];
    expect(actionsOf(items)).toEqual([
      { kind: 'turn', title: 'Tea', outcome: 'No +1 line', took: 5 },
      { kind: 'turn', title: 'Coffee', outcome: null, took: null },
    ]);
  });

  test.each(['codex-2.6.0', 'codex-2.6.0.v2', 'opencode-1.18.33'])(
    'each turn of %s has an end',
    async (name) => {
      const text = readFileSync(
        new URL(`../../../../fixtures/traffic/${name}.ndjson`, import.meta.url),
        'utf8',
      );
      const turns = actionsOf(await readTimeline(text)).filter(({ kind }) => kind === 'turn');
      expect(turns.length).toBeGreaterThan(3);
      expect(turns.filter(({ took }) => took === null).length).toBeLessThanOrEqual(1);
    },
  );
});

test('the time never becomes less, and leads to the last row at it', () => {
  const timeline = new LoadedTimeline(
    'times',
    [0, 5, 3, Number.POSITIVE_INFINITY, 30_000].map((t) => at(t, 'in', {})),
  );
  expect(timeline.times).toEqual([0, 5, 5, 5, 30_000]);
  // The slider and the bars have no longer pause than two seconds.
  expect(timeline.drawnTimes).toEqual([0, 5, 5, 5, 2005]);
  expect(timeline.isShortened).toBe(true);
  expect([0, 4, 5, 1500, 2005].map((time) => timeline.indexAt(time))).toEqual([0, 0, 3, 3, 4]);
});
