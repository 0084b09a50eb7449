import { describe, expect, test } from 'vitest';
import { align } from '../../../../../src/programs/inspector/page/align.ts';
import { compareRows } from '../../../../../src/programs/inspector/page/difference.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { recordedStep } from '../../../../support/agent-recordings.ts';

describe('the alignment', () => {
  const same = (item: string) => item;
  const first = (item: string) => item.charAt(0);

  test('puts what is the same beside each other, and what is alike between it', () => {
    expect(align(['a1', 'b1', 'c1', 'd1'], ['a2', 'c1', 'd2', 'e1'], [same, first])).toEqual([
      ['a1', 'a2'],
      ['b1', undefined],
      ['c1', 'c1'],
      ['d1', 'd2'],
      [undefined, 'e1'],
    ]);
  });

  test('keeps everything, also of lists that have nothing in common', () => {
    expect(align(['a'], ['b', 'c'], [same])).toEqual([
      ['a', undefined],
      [undefined, 'b'],
      [undefined, 'c'],
    ]);
  });
});

test('the two versions of one agent are aligned by what they say', async () => {
  const rowsOf = async (name: string) =>
    new LoadedTimeline(name, await readTimeline(recordedStep(name, 'text'))).rows;
  const pairs = compareRows(await rowsOf('claude-v1'), await rowsOf('claude-v2'));
  const isPrompt = (signature = '') => signature.startsWith('out request session/prompt');
  const prompts = pairs.filter(({ left, right }) => isPrompt(left?.signature) || isPrompt(right?.signature));
  expect(prompts.map(({ is }) => is)).toEqual(['equal']);
  const answer = pairs.find(({ left }) => left?.signature.includes('agent_message'));
  expect(answer?.is).toBe('equal');
  const apart = pairs.filter(({ is }) => is === 'added' || is === 'removed').length;
  expect(apart).toBeLessThan(pairs.length / 2);
});
