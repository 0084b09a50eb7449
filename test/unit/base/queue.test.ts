import { expect, it } from 'vitest';
import { Queue } from '../../../src/core/base/queue.ts';

it('gives an empty text, and nothing after it was cleared', () => {
  const queue = new Queue<string>();
  queue.add('');
  queue.add('cleared');
  expect(queue.take()).toBe('');
  queue.clear();
  expect(queue.take()).toBeUndefined();
});
