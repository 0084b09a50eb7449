import { expect, test } from 'vitest';
import { readPlainData, UnreadableMessage } from '../../../src/panel/plain-data.ts';

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

test.each<[unknown, number]>([
  ['{"a":1}', 7],
  ['"text"', 6],
  // 8 for each value that is no text, and the length of keys and texts.
  [null, 8],
  [true, 8],
  [1.5, 8],
  [{ a: 'bc', d: [1, null] }, 8 + 1 + 2 + 1 + 8 + 8 + 8],
  [Object.assign(Object.create(null), { a: '' }), 9],
  [nested(63), 64 * 8 + 63],
])('a message is read up to its length, and not with one character more: %#', (message, characters) => {
  const data = readPlainData(message, characters);
  expect(data).toEqual(typeof message === 'string' ? JSON.parse(message) : message);
  expect(() => readPlainData(message, characters - 1)).toThrow(
    new UnreadableMessage(`The message is longer than ${characters - 1} characters.`),
  );
});

test('a message is copied, without what is undefined', () => {
  const message = { list: [{ a: 1 }], gone: undefined };
  const data = readPlainData(message, 1000);
  message.list.push({ a: 2 });
  expect(data).toStrictEqual({ list: [{ a: 1 }] });
});

const throwing = {
  get a(): never {
    throw new Error('no');
  },
};

test.each<[string, unknown, string]>([
  ['what is no JSON', '{', 'The message is not JSON.'],
  ['a function', () => {}, 'The message contains a function.'],
  ['undefined', undefined, 'The message contains a undefined.'],
  ['undefined in a list', [undefined], 'The message contains a undefined.'],
  ['a number that JSON does not have', [Number.NaN], 'The message contains a number.'],
  ['an endless number', { a: Number.POSITIVE_INFINITY }, 'The message contains a number.'],
  ['a bigint', [1n], 'The message contains a bigint.'],
  ['what is nested too deep', nested(64), 'The message is nested 64 levels deep.'],
  [
    'lists that are nested too deep',
    `${'['.repeat(65)}${']'.repeat(65)}`,
    'The message is nested 64 levels deep.',
  ],
  ['JSON that is nested too deep', JSON.stringify(nested(64)), 'The message is nested 64 levels deep.'],
  [
    'an object with methods of its own',
    { a: new Date() },
    'The message contains an object that is not plain.',
  ],
  ['a getter that throws', throwing, 'The message cannot be read.'],
  ['a key that changes the prototype', '{"__proto__":{}}', 'The message has the key __proto__.'],
])('%s is not read', (_, message, reason) => {
  expect(() => readPlainData(message, 10_000)).toThrow(new UnreadableMessage(reason));
});
