import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { actionsOf } from '../../../../../src/programs/inspector/page/turns.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';

const folder = new URL('../../../../fixtures/traffic/', import.meta.url);
const recorded = (name: string) => readTimeline(readFileSync(new URL(`${name}.ndjson`, folder), 'utf8'));

// The golden file of read.test.ts has actions of short recordings.
test.each(['codex-2.6.0', 'codex-2.6.0.v2', 'opencode-1.18.33'])(
  'each turn of %s has an end',
  async (name) => {
    const actions = actionsOf(new LoadedTimeline(name, await recorded(name)));
    const turns = actions.filter(({ kind }) => kind === 'turn');
    expect(turns.length).toBeGreaterThan(3);
    expect(turns.filter(({ last }) => last === null).length).toBeLessThanOrEqual(1);
  },
);

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
