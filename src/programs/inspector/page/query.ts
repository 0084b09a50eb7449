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

/** What each word before a colon asks for: a row passes if one of these begins with the value, which can still be typed. */
const valuesOf: Readonly<Record<string, (row: Row) => readonly unknown[]>> = {
  from: ({ item }) => (item.type === 'message' ? [item.dir === 'in' ? 'agent' : 'client'] : []),
  is: ({ kind }) => Object.keys(isChoices).filter((name) => isChoices[name]?.includes(kind)),
  method: ({ item, label }) => (item.type === 'message' ? [label] : []),
  update: ({ item }) => (item.type === 'message' ? [updateIn(item.msg)?.['sessionUpdate']] : []),
  session: ({ sessionId }) => [sessionId],
};

type Test = (row: Row) => boolean;

/** A part of a search: a word or a phrase in quotes, with or without a name before it. `-` in front: not this. */
const part = /(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S*))/g;

/**
 * Reads a search, such as `from:agent -update:agent_message_chunk "a phrase"`: a row passes if each part does. Words without
 * a known name before them are looked for in the message.
 */
export function readQuery(text: string): Test {
  const tests = [...text.matchAll(part)].flatMap((match): readonly Test[] => {
    const [whole, not, name = '', phrase, word = ''] = match;
    const value = phrase ?? word;
    if (whole === '' || whole === '-') return [];
    const values = Object.hasOwn(valuesOf, name) ? valuesOf[name] : undefined;
    if (!values && name !== 'rows') return [contains(name === '' && phrase !== undefined ? phrase : whole)];
    if (value === '') return [];
    const test = values ? begins(values, value) : isBetween(value);
    return [not === '-' ? (row) => !test(row) : test];
  });
  return (row) => tests.every((test) => test(row));
}

function begins(values: (row: Row) => readonly unknown[], value: string): Test {
  return (row) => values(row).some((each) => typeof each === 'string' && each.startsWith(value));
}

/** For the numbers of rows, such as `12-40`. */
function isBetween(value: string): Test {
  const [first = 0, last = first] = value.split('-').map(Number);
  return ({ index }) => first <= index + 1 && index + 1 <= last;
}

function contains(text: string): Test {
  const wanted = text.toLowerCase();
  return (row) => searchTextOf(row).includes(wanted);
}
