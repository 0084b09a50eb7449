import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recordingText } from '../../../../../src/programs/inspector/save/recording.ts';
import type { TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { foldTraffic } from '../../../../../src/records/recording/fold-traffic.ts';

const recordings = new URL('../../../../fixtures/traffic/', import.meta.url);

const extras: readonly TimelineItem[] = [
  { type: 'process', t: 0, state: 'starting', command: 'agent', args: [], env: [] },
  { type: 'stderr', t: 3, text: 'a warning' },
  { type: 'process', t: 5, state: 'exited', exitCode: 1, signal: null, reason: 'It exited.' },
];

test('a saved recording keeps what is beside the messages, and folds as before', async () => {
  const text = readFileSync(new URL('opencode-1.18.33.reload.ndjson', recordings), 'utf8');
  const itemsIn = async (recording: string) =>
    (await readTimeline(recording)).flatMap((line) => ('item' in line ? [line.item] : []));
  const items = [...(await itemsIn(text)), ...extras];
  const isReceived = (item: TimelineItem) => item.type === 'message' && item.dir === 'in';
  const notice = { type: 'diagnostic', t: 5, rule: 'rpc.null_id', severity: 'info', message: 'x' } as const;
  const saved = recordingText([...items, { ...notice, cause: items.findIndex(isReceived) }]);
  expect(await foldTraffic(saved)).toEqual(await foldTraffic(text));
  const again = await itemsIn(saved);
  expect(again.slice(-4)).toEqual([...extras, { ...notice, cause: again.findIndex(isReceived) }]);
  expect(recordingText(again)).toBe(saved);
});
