import { updateIn } from './chunks.ts';
import { type Row, type RowKind, searchTextOf } from './rows.ts';

/** The names after `is:`, with the kinds of rows. */
const isChoices: Readonly<Record<string, readonly RowKind[]>> = {
  request: ['request'],
  answer: ['answer', 'error'],
  notification: ['notification'],
  message: ['request', 'answer', 'error', 'notification'],
  error: ['error', 'diagnostic'],
  diagnostic: ['diagnostic'],
  stderr: ['stderr'],
  process: ['process', 'connection'],
};

/** The names after `from:`, with the direction of the messages. */
const fromChoices: Readonly<Record<string, 'in' | 'out'>> = { agent: 'in', client: 'out' };

type Test = (row: Row) => boolean;

/** Whether a value begins as the one that is asked for, which can still be typed. */
type Same = (value: string | null) => boolean;

const named = <T>(table: Readonly<Record<string, T>>, same: Same): readonly T[] =>
  Object.entries(table).flatMap(([name, value]) => (same(name) ? [value] : []));

/** What each word before a colon asks for. */
const tests = {
  from(same) {
    const wanted = named(fromChoices, same);
    return ({ item }) => item.type === 'message' && wanted.includes(item.dir);
  },
  is(same) {
    const wanted = named(isChoices, same).flat();
    return ({ kind }) => wanted.includes(kind);
  },
  method:
    (same) =>
    ({ item, label }) =>
      item.type === 'message' && same(label),
  update:
    (same) =>
    ({ item }) => {
      const kind = item.type === 'message' && updateIn(item.msg)?.['sessionUpdate'];
      return typeof kind === 'string' && same(kind);
    },
  session:
    (same) =>
    ({ sessionId }) =>
      same(sessionId),
  rows(_same, value) {
    const [first = 0, last = first] = value.split('-').map(Number);
    return ({ index }) => first <= index + 1 && index + 1 <= last;
  },
} as const satisfies Record<string, (same: Same, value: string) => Test>;

type QueryWord = keyof typeof tests;

/** A search that was read: a row passes if each part does. */
export type Query = readonly Test[];

/** A part of a search: a word or a phrase in quotes, with or without a name before it. `-` in front: not this. */
const part = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))/g;

/**
 * Reads a search, such as `from:agent -update:agent_message_chunk "a phrase"`. Words without a known name before them are
 * looked for in the message.
 */
export function readQuery(text: string): Query {
  return [...text.matchAll(part)].flatMap((match): readonly Test[] => {
    const [whole, not, name = '', phrase, word = ''] = match;
    const value = phrase ?? word;
    if (whole === '' || whole === '-') return [];
    // The name was looked up in the table.
    const known = Object.hasOwn(tests, name) ? tests[name as QueryWord] : undefined;
    if (!known) return [contains(name === '' && phrase !== undefined ? phrase : whole)];
    if (value === '') return [];
    const test = known((other) => other?.startsWith(value) === true, value);
    return [not === '-' ? (row) => !test(row) : test];
  });
}

function contains(text: string): Test {
  const wanted = text.toLowerCase();
  return (row) => searchTextOf(row).includes(wanted);
}

/** Whether a row is shown. */
export function passes(row: Row, query: Query): boolean {
  return query.every((test) => test(row));
}
