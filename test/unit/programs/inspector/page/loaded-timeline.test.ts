import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';

const folder = new URL('../../../../fixtures/traffic/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const sdk = textOf('sdk-example-0.12.0.ndjson');
const codex = await readTimeline(textOf('codex-2.6.0.ndjson'));

describe('a timeline in the page', () => {
  test('shows the same conversation of a time, in whichever order the times are asked for', async () => {
    const lines = await readTimeline(sdk);
    const forward = new LoadedTimeline('forward', lines);
    const states = forward.rows.map((_, index) => forward.conversationAt(0, index));
    const backward = new LoadedTimeline('backward', lines);
    for (const index of [...states.keys()].reverse()) {
      expect(backward.conversationAt(0, index)).toEqual(states[index]);
    }
    expect(states[0]).toBeUndefined();
    expect(new Set(states).size).toBeGreaterThan(100);
  });

  test('knows which messages made an entry', () => {
    const timeline = new LoadedTimeline('codex', codex);
    const { entries } = timeline.conversationAt(0, timeline.length - 1) ?? { entries: [] };
    const tool = entries.find((entry) => entry.kind === 'toolCall');
    const made = timeline.itemsOf(0, tool?.key ?? '').map((index) => timeline.rows[index]?.label);
    expect(made[0]).toBe('session/update');
    expect(made.length).toBeGreaterThan(1);
  });
});
