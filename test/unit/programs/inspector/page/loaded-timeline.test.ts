import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { foldTraffic } from '../../../../../src/entries/testing.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';

const folder = new URL('../../../../fixtures/traffic/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');

describe('a timeline in the page', () => {
  // test/unit/programs/inspector/timeline/read.test.ts compares the timelines of all recordings with fold.
  test('shows at its end what fold shows', async () => {
    const text = textOf('sdk-example-0.12.0.ndjson');
    const { sessions } = await foldTraffic(text);
    const timeline = new LoadedTimeline('sdk', await readTimeline(text));
    const shown = sessions.map((_, number) => timeline.conversationAt(number, timeline.length - 1));
    expect(shown).toEqual(sessions.map(({ conversation }) => conversation));
    expect(timeline.conversations()).toHaveLength(sessions.length);
  });

  test('shows the same conversation of a time, in whichever order the times are asked for', async () => {
    const items = await readTimeline(textOf('codex-2.6.0.ndjson'));
    const forward = new LoadedTimeline('forward', items);
    const states = items.map((_, index) => forward.conversationAt(0, index));
    const backward = new LoadedTimeline('backward', items);
    for (const index of [...items.keys()].reverse()) {
      expect(backward.conversationAt(0, index)).toEqual(states[index]);
    }
    expect(states[0]).toBeUndefined();
    expect(new Set(states).size).toBeGreaterThan(100);
  });

  test('takes changes that come after their item', async () => {
    const items = await readTimeline(textOf('codex-2.6.0.ndjson'));
    const live = new LoadedTimeline('live', []);
    for (const [index, { changes, ...item }] of items.entries()) {
      live.take({ item });
      if (changes) live.take({ index, changes });
    }
    const whole = new LoadedTimeline('whole', items);
    expect(live.conversationAt(0, items.length - 1)).toEqual(whole.conversationAt(0, items.length - 1));
    expect(live.items()).toEqual(items);
  });

  test('matches a request with its answer, and says how long it took', async () => {
    const { rows } = new LoadedTimeline('codex', await readTimeline(textOf('codex-2.6.0.ndjson')));
    const request = rows.find(({ kind, label }) => kind === 'request' && label === 'initialize');
    const answer = rows[request?.pair ?? -1];
    expect(answer).toMatchObject({ kind: 'answer', label: 'initialize', pair: request?.index });
    expect([request?.durationMs, answer?.durationMs]).toEqual([698, 698]);
  });

  test('knows which messages made an entry', async () => {
    const timeline = new LoadedTimeline('codex', await readTimeline(textOf('codex-2.6.0.ndjson')));
    const { entries } = timeline.conversationAt(0, timeline.length - 1) ?? { entries: [] };
    const tool = entries.find((entry) => entry.kind === 'toolCall');
    const made = timeline.itemsOf(0, tool?.key ?? '').map((index) => timeline.rows[index]?.label);
    expect(made[0]).toBe('session/update');
    expect(made.length).toBeGreaterThan(1);
  });
});
