import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { foldTraffic } from '../../../../../src/entries/testing.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';

const folder = new URL('../../../../fixtures/traffic/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const sdk = textOf('sdk-example-0.12.0.ndjson');
const codex = await readTimeline(textOf('codex-2.6.0.ndjson'));

describe('a timeline in the page', () => {
  // test/unit/programs/inspector/timeline/read.test.ts compares the timelines of all recordings with fold.
  test('shows at its end what fold shows', async () => {
    const { sessions } = await foldTraffic(sdk);
    const timeline = new LoadedTimeline('sdk', await readTimeline(sdk));
    const shown = sessions.map((_, number) => timeline.conversationAt(number, timeline.length - 1));
    expect(shown).toEqual(sessions.map(({ conversation }) => conversation));
    expect(timeline.conversations()).toHaveLength(sessions.length);
  });

  test('shows the same conversation of a time, in whichever order the times are asked for', async () => {
    const items = await readTimeline(sdk);
    const forward = new LoadedTimeline('forward', items);
    const states = items.map((_, index) => forward.conversationAt(0, index));
    const backward = new LoadedTimeline('backward', items);
    for (const index of [...items.keys()].reverse()) {
      expect(backward.conversationAt(0, index)).toEqual(states[index]);
    }
    expect(states[0]).toBeUndefined();
    expect(new Set(states).size).toBeGreaterThan(100);
  });

  test('takes changes that come after their item', () => {
    const live = new LoadedTimeline('live', []);
    for (const [index, { changes, ...item }] of codex.entries()) {
      live.take({ item });
      if (changes) live.take({ index, changes });
    }
    const whole = new LoadedTimeline('whole', codex);
    expect(live.conversationAt(0, codex.length - 1)).toEqual(whole.conversationAt(0, codex.length - 1));
    expect(live.items()).toEqual(codex);
  });

  test('matches a request with its answer, and says how long it took', () => {
    const { rows } = new LoadedTimeline('codex', codex);
    const request = rows.find(({ kind, label }) => kind === 'request' && label === 'initialize');
    const answer = rows[request?.pair ?? -1];
    expect(answer).toMatchObject({ kind: 'answer', label: 'initialize', pair: request?.index });
    expect([request?.durationMs, answer?.durationMs]).toEqual([698, 698]);
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
