import { diffArrays } from 'diff';
import { isJsonObject } from '../../../core/base/json.ts';
import { chunkOf, updateIn } from './chunks.ts';
import { isAnswer, type Row } from './rows.ts';

/** Messages of one recording that belong together: one message, or the chunks of one text. */
interface Step {
  /** Index of the first message. */
  readonly index: number;
  /** What kind of message it is, to read. */
  readonly name: string;
  /** The content without what differs in every run: a text, or JSON. */
  content: string;
  readonly isText: boolean;
}

/** A message in which two recordings differ. */
export interface Difference {
  /** `removed`: only the first recording has it. `added`: only the second one. */
  readonly kind: 'changed' | 'removed' | 'added';
  /** What kind of message it is. */
  readonly name: string;
  /** Index of the message in the first recording. `null`: the second one alone has it. */
  readonly index: number | null;
  /** The fields that differ, with what both have. */
  readonly fields: readonly string[];
}

/** How much of a value is shown, in characters, and how much of that comes before what differs. */
const maxShown = 200;
const shownBefore = 40;

/** More differences are not searched for: the rest is compared in its order. */
const maxEdits = 4000;

/** Compares the messages of two recordings: equal ones with each other, and then those of one kind between them. */
export function compareRows(left: readonly Row[], right: readonly Row[]) {
  /** How many messages are equal. */
  let equal = 0;
  const differences: Difference[] = [];
  const compare = (before: Step | undefined, after: Step | undefined) => {
    const fields = fieldsIn(readContent(before), readContent(after), []);
    if (fields.length === 0) equal++;
    else {
      const kind = before ? (after ? 'changed' : 'removed') : 'added';
      const name = (before ?? after)?.name ?? '';
      differences.push({ kind, name, index: before?.index ?? null, fields });
    }
  };
  // What lies between two equal messages.
  let removed: Step[] = [];
  let added: Step[] = [];
  const closeGap = () => {
    for (const step of removed) {
      const place = added.findIndex(({ name }) => name === step.name);
      compare(step, place === -1 ? undefined : added.splice(place, 1)[0]);
    }
    for (const step of added) compare(undefined, step);
    removed = [];
    added = [];
  };
  const steps = [stepsOf(left), stepsOf(right)] as const;
  const parts = diffArrays(...steps, { comparator: areEqual, maxEditLength: maxEdits });
  if (!parts) [removed, added] = steps;
  for (const part of parts ?? []) {
    if (part.removed) removed = part.value;
    else if (part.added) added = part.value;
    else {
      closeGap();
      equal += part.value.length;
    }
  }
  closeGap();
  return { equal, differences };
}

function areEqual(one: Step, other: Step): boolean {
  return one.name === other.name && one.content === other.content;
}

function readContent(step: Step | undefined): unknown {
  return step && !step.isText ? JSON.parse(step.content) : step?.content;
}

/** The fields in which two values differ, each with its path. */
function fieldsIn(left: unknown, right: unknown, path: readonly string[]): readonly string[] {
  if (left === right) return [];
  if (isContainer(left) && isContainer(right) && Array.isArray(left) === Array.isArray(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => fieldsIn(left[name], right[name], [...path, name]));
  }
  const [before, after] = [JSON.stringify(left) ?? '—', JSON.stringify(right) ?? '—'];
  // A long text begins a little before what differs.
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const start = Math.max(0, same - shownBefore);
  const end = start + maxShown;
  const shown = [before, after].map(
    (text) => (start > 0 ? '…' : '') + text.slice(start, end) + (text.length > end ? '…' : ''),
  );
  return [[path.join('.'), shown.join(' → ')].filter(Boolean).join(': ')];
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function stepsOf(rows: readonly Row[]): Step[] {
  const replace = runNames();
  const steps: Step[] = [];
  for (const row of rows) {
    const { item, index, label, kind } = row;
    if (item.type !== 'message') continue;
    const tag = updateIn(item.msg)?.['sessionUpdate'];
    const words = [
      item.dir === 'in' ? '←' : '→',
      label,
      isAnswer(row) ? kind : '',
      typeof tag === 'string' ? tag : '',
    ];
    const name = words.filter(Boolean).join(' ');
    // Also of a text: its ids get their names.
    const json = JSON.stringify(contentOf(item.msg), (key, value: unknown) => replace(key, value));
    const text = chunkOf(row)?.text;
    const last = steps.at(-1);
    if (text !== undefined && last?.isText && last.name === name) last.content += text;
    else steps.push({ index, name, content: text ?? json, isText: text !== undefined });
  }
  return steps;
}

/** Without the frame of JSON-RPC: the id is another one in each run. */
function contentOf(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  return message['params'] ?? message['result'] ?? message['error'] ?? null;
}

const isId = /(?:^id|Id|^idempotencyKey)$/;
const isTime = /^(?:updatedAt|createdAt|timestamp|time)$/;

/** Gives ids the name of their key and a number, in the order of the run: they are others in each run. */
function runNames(): (key: string, value: unknown) => unknown {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return (key, value) => {
    if (isTime.test(key)) return '(time)';
    // Ids of options, models and the like are words, and the same in each run.
    if (typeof value !== 'string' || !isId.test(key) || !/\d/.test(value) || value.length < 6) return value;
    if (!names.has(value)) {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      names.set(value, `(${key} ${count})`);
    }
    return names.get(value);
  };
}
