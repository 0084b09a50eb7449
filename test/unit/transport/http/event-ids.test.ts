import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { openChannel } from '../../../support/raw-acp-connection.ts';
import { chunk, event, rawServer } from '../../../support/raw-acp-server.ts';

/** The texts that arrive when the stream of the connection brings these events. */
async function textsOf(...events: readonly string[]): Promise<readonly string[]> {
  const server = await rawServer();
  const { received } = await openChannel(server.url);
  for (const text of [...events, event(chunk('s1', 'end'))]) await server.write(text);
  const texts = () => JSON.stringify(received).match(/(?<="text":")\w+/g) ?? [];
  await eventually(() => texts().at(-1)).toBe('end');
  return texts().slice(0, -1);
}

const [one, two] = [chunk('s1', 'one'), chunk('s1', 'two')];

test('an event that comes twice with its id is delivered once', async () => {
  expect(await textsOf(event(one, 1), event(two, 2), event(two, 2))).toEqual(['one', 'two']);
});

test('an event that an agent sends twice has two ids, or none', async () => {
  expect(await textsOf(event(one, 1), event(two, 2), event(two, 3))).toEqual(['one', 'two', 'two']);
  expect(await textsOf(event(one), event(two), event(two))).toEqual(['one', 'two', 'two']);
});

test('nothing is dropped where events share an id', async () => {
  expect(await textsOf(event(one, 1), event(one, 1))).toEqual(['one', 'one']);
  expect(await textsOf(event(one, 1), event(two, 1), event(two, 1))).toEqual(['one', 'two', 'two']);
  expect(await textsOf(event(one, 1), event(two, 2), event(one, 2), event(one, 2))).toEqual([
    'one',
    'two',
    'one',
    'one',
  ]);
});
