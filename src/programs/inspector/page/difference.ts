import { diffArrays } from 'diff';
import { isJsonObject } from '../../../base/json.ts';
import { chunkOf, updateIn } from './chunks.ts';
import { isAnswer, type Row } from './rows.ts';

/** Messages of one recording that belong together: one message, or the chunks of one text. */
interface Step {
  /** Index of the first message. */
  readonly index: number;
  /** What kind of message it is, to read. */
  readonly name: string;
  /** What kind of message it is, in each version of the protocol. */
  readonly subject: string;
  /** The content without what differs in every run: a text, or JSON. */
  content: string;
  readonly isText: boolean;
}

/** A place at which two recordings differ. */
export interface Difference {
  /** What kind of message it is. */
  readonly name: string;
  /** Index of the message in the first recording. `null`: the second one alone has it. */
  readonly index: number | null;
  /** The fields that lead to the place. Empty: the whole message. */
  readonly path: readonly string[];
  /** `undefined`: there is nothing. */
  readonly left: unknown;
  readonly right: unknown;
}

/** How two recordings differ. */
export interface Comparison {
  /** How many messages are equal, changed, only in the first recording, and only in the second one. */
  readonly counts: Readonly<Record<'equal' | 'changed' | 'removed' | 'added', number>>;
  readonly differences: readonly Difference[];
}

/** What each version of the protocol has under a name of its own. */
const sameThing: ReadonlyMap<string, string> = new Map([
  ['session/load', 'session/resume'],
  ['session/set_mode', 'session/set_config_option'],
  ['agent_message_chunk', 'agent_message'],
  ['agent_thought_chunk', 'agent_thought'],
  ['user_message_chunk', 'user_message'],
  ['tool_call', 'tool_call_update'],
  ['current_mode_update', 'config_option_update'],
  ['plan', 'plan_update'],
]);

/** More differences are not searched for: the rest is compared in its order. */
const maxEdits = 4000;

/** Compares the messages of two recordings: equal ones with each other, and then those of one kind between them. */
export function compareRows(left: readonly Row[], right: readonly Row[]): Comparison {
  const counts = { equal: 0, changed: 0, removed: 0, added: 0 };
  const differences: Difference[] = [];
  const compare = (before: Step | undefined, after: Step | undefined) => {
    const found = differencesIn(readContent(before), readContent(after), []);
    const kind = found.length > 0 ? 'changed' : 'equal';
    counts[before ? (after ? kind : 'removed') : 'added']++;
    const name = (before ?? after)?.name ?? '';
    for (const difference of found) differences.push({ name, index: before?.index ?? null, ...difference });
  };
  // What lies between two equal messages.
  let removedSteps: readonly Step[] = [];
  let addedSteps: readonly Step[] = [];
  const closeGap = () => {
    const before = numbered(removedSteps);
    const after = numbered(addedSteps);
    for (const key of new Set([...before.keys(), ...after.keys()])) compare(before.get(key), after.get(key));
    removedSteps = [];
    addedSteps = [];
  };
  const steps = [stepsOf(left), stepsOf(right)] as const;
  const parts = diffArrays(...steps, { comparator: areEqual, maxEditLength: maxEdits });
  const apart = [
    { removed: true, added: false, value: steps[0] },
    { removed: false, added: true, value: steps[1] },
  ];
  for (const { added, removed, value } of parts ?? apart) {
    if (removed) removedSteps = removedSteps.concat(value);
    else if (added) addedSteps = addedSteps.concat(value);
    else {
      closeGap();
      counts.equal += value.length;
    }
  }
  closeGap();
  return { counts, differences };
}

function areEqual(one: Step, other: Step): boolean {
  return one.subject === other.subject && one.content === other.content;
}

function readContent(step: Step | undefined): unknown {
  return step && !step.isText ? JSON.parse(step.content) : step?.content;
}

/** Steps by their kind, and by how many of this kind came before. */
function numbered(steps: readonly Step[]): ReadonlyMap<string, Step> {
  const counts = new Map<string, number>();
  return new Map(
    steps.map((step) => {
      const count = counts.get(step.subject) ?? 0;
      counts.set(step.subject, count + 1);
      return [`${count} ${step.subject}`, step];
    }),
  );
}

function differencesIn(
  left: unknown,
  right: unknown,
  path: readonly string[],
): readonly Pick<Difference, 'path' | 'left' | 'right'>[] {
  if (left === right) return [];
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) {
    return [{ path, left, right }];
  }
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) => differencesIn(left[name], right[name], [...path, name]));
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
    else {
      const subject = words.map((word) => sameThing.get(word) ?? word).join(' ');
      steps.push({ index, name, subject, content: text ?? json, isText: text !== undefined });
    }
  }
  return steps;
}

/** Without the frame of JSON-RPC: the id is another one in each run. */
function contentOf(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  return message['params'] ?? message['result'] ?? message['error'] ?? null;
}

const isId = /(?:^id|Id)$/;
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
