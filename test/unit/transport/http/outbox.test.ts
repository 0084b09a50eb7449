import { expect, test } from 'vitest';
import { deferred } from '../../../../src/base/wait.ts';
import { Outbox } from '../../../../src/transport/http/outbox.ts';
import { allHappened } from '../../../support/timed-acp-server.ts';

/** An outbox whose messages the server takes when the test says so. */
function make() {
  const outbox = new Outbox();
  const posted: string[] = [];
  const taken = new Map<string, () => void>();
  const post = (name: string) => () => {
    posted.push(name);
    const { promise, resolve } = deferred();
    taken.set(name, resolve);
    return promise;
  };
  return {
    outbox,
    posted,
    add: (row: string, name: string) => void outbox.add(row, name, post(name)),
    answer: (name: string) => void outbox.addAnswer(name, post(name)),
    take: async (name: string) => {
      taken.get(name)?.();
      await allHappened();
    },
  };
}

test('messages of one row are sent one after the other, also those that are added later', async () => {
  const { posted, add, take } = make();
  for (const name of ['one', 'two']) add('s1', name);
  add('s2', 'other');
  await allHappened();
  expect(posted).toEqual(['one', 'other']);
  await take('one');
  add('s1', 'three');
  await allHappened();
  expect(posted).toEqual(['one', 'other', 'two']);
  for (const name of ['two', 'three']) await take(name);
  add('s1', 'four');
  await allHappened();
  expect(posted).toEqual(['one', 'other', 'two', 'three', 'four']);
});

test('an answer waits for nothing', () => {
  const { posted, answer } = make();
  for (const name of ['one', 'two']) answer(name);
  expect(posted).toEqual(['one', 'two']);
});

test('it is settled when the server has taken everything, and counts what it has not taken', async () => {
  const { outbox, add, answer, take } = make();
  add('s1', 'é');
  answer('two');
  await allHappened();
  let isSettled = false;
  const settled = outbox.settled().then(() => {
    isSettled = true;
  });
  expect(outbox.queuedBytes).toBe(5);
  await take('two');
  expect([isSettled, outbox.queuedBytes]).toEqual([false, 2]);
  await take('é');
  await settled;
  expect(outbox.queuedBytes).toBe(0);
});
