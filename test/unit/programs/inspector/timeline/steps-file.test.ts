import { expect, test } from 'vitest';
import type { TimelineFile } from '../../../../../src/programs/inspector/timeline/items.ts';
import { stepOf, stepsFile } from '../../../../../src/programs/inspector/timeline/steps-file.ts';

const commands = Array.from({ length: 20 }, (_, index) => ({
  name: `command-${index}`,
  description: 'Does it.',
}));

function timeline(title: string, ...values: readonly unknown[]): TimelineFile {
  const lines = values.map((value, t) => ({
    item: { type: 'message', t, dir: 'in', msg: { value } } as const,
  }));
  return { format: 1, title, lines };
}

const steps = {
  text: timeline('text', commands, 'short'),
  load: timeline('load', { nested: [commands] }, null, ['short']),
};

test('a long value that steps repeat is written once, and each step is read as it was', () => {
  const file = JSON.parse(JSON.stringify(stepsFile(steps)));
  expect(file.shared).toEqual([commands]);
  expect(JSON.stringify(file).split('command-19')).toHaveLength(2);
  for (const [name, step] of Object.entries(steps)) expect(stepOf(file, name)).toEqual(step);
});

test('a file that has no such step, or is something else, has no timeline', () => {
  const file = stepsFile(steps);
  for (const name of ['other', 'toString', '__proto__', '']) expect(stepOf(file, name)).toBe(undefined);
  for (const other of [null, [], 'text', {}, { steps: [] }]) expect(stepOf(other, 'text')).toBe(undefined);
});
