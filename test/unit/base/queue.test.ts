import { expect, it } from 'vitest';
import { Queue } from '../../../src/core/base/queue.ts';

it('gives what was added, in order, while more is added', () => {
  const queue = new Queue<string>();
  const taken: (string | undefined)[] = [];
  const added = Array.from({ length: 1000 }, (_, index) => String(index));
  for (const [index, item] of added.entries()) {
    queue.add(item);
    if (index % 3 > 0) taken.push(queue.take());
  }
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  expect(taken).toEqual(added);
  expect(queue.take()).toBeUndefined();
  queue.add('again');
  expect(queue.take()).toBe('again');
});

it('gives an empty text, and nothing after it was cleared', () => {
  const queue = new Queue<string>();
  queue.add('');
  queue.add('cleared');
  expect(queue.take()).toBe('');
  queue.clear();
  expect(queue.take()).toBeUndefined();
});
