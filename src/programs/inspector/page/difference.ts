import { diffArrays } from 'diff';
import { isJsonObject } from '../../../base/json.ts';
import { paramsOf } from '../timeline/offered.ts';
import type { Row } from './rows.ts';

/** Messages of one timeline that belong together: one message, or the chunks of one text. */
export interface Step {
  readonly rows: readonly Row[];
  /** What kind of message it is, for the search for the same one in the other timeline. */
  readonly signature: string;
  /** The content without what differs in every run, as JSON to read. */
  readonly content: string;
}

/** A step of either timeline, or of both. */
export interface StepPair {
  readonly left: Step | undefined;
  readonly right: Step | undefined;
  readonly is: 'equal' | 'changed' | 'removed' | 'added';
}

/** More differences are not searched for: the rest is compared in its order. */
const maxEdits = 4000;

/** The steps of two timelines, those that are the same beside each other. */
export function compareRows(left: readonly Row[], right: readonly Row[]): readonly StepPair[] {
  const before = stepsOf(left);
  const after = stepsOf(right);
  const parts = diffArrays(
    before.map(({ signature }) => signature),
    after.map(({ signature }) => signature),
    { maxEditLength: maxEdits },
  );
  if (!parts) {
    const count = Math.max(before.length, after.length);
    return Array.from({ length: count }, (_, place) => pairOf(before[place], after[place]));
  }
  const pairs: StepPair[] = [];
  let atLeft = 0;
  let atRight = 0;
  for (const { count = 0, added, removed } of parts) {
    for (let step = 0; step < count; step++) {
      pairs.push(pairOf(added ? undefined : before[atLeft++], removed ? undefined : after[atRight++]));
    }
  }
  return pairs;
}

function pairOf(left: Step | undefined, right: Step | undefined): StepPair {
  if (!left) return { left, right, is: 'added' };
  if (!right) return { left, right, is: 'removed' };
  return { left, right, is: left.content === right.content ? 'equal' : 'changed' };
}

/** Kinds of updates that come in pieces. */
const chunks: ReadonlySet<unknown> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
]);

function stepsOf(rows: readonly Row[]): readonly Step[] {
  const names = new RunNames();
  const steps: { rows: Row[]; signature: string; content: string; isText: boolean }[] = [];
  for (const row of rows) {
    const { item, kind, label } = row;
    if (item.type !== 'message') continue;
    const update = updateOf(item.msg);
    const tag = update?.['sessionUpdate'];
    const signature = [item.dir, kind, label, typeof tag === 'string' ? tag : ''].join(' ').trim();
    const text = chunks.has(tag) ? textIn(update?.['content']) : undefined;
    const last = steps.at(-1);
    if (text !== undefined && last?.isText && last.signature === signature) {
      last.rows.push(row);
      last.content += text;
      continue;
    }
    // Also of a text: its ids get their names.
    const named = names.without(contentOf(item.msg));
    const content = text ?? JSON.stringify(named, null, 2) ?? '';
    steps.push({ rows: [row], signature, content, isText: text !== undefined });
  }
  return steps;
}

function updateOf(message: unknown): Readonly<Record<string, unknown>> | undefined {
  const { update } = isJsonObject(message) ? paramsOf(message) : {};
  return isJsonObject(update) ? update : undefined;
}

function textIn(content: unknown): string | undefined {
  const text = isJsonObject(content) ? content['text'] : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Without the frame of JSON-RPC: the id is another one in each run. */
function contentOf(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  return message['params'] ?? message['result'] ?? message['error'] ?? null;
}

const isId = /(?:^id|Id)$/;
const isTime = /^(?:updatedAt|createdAt|timestamp|time)$/;

/** Gives ids the name of their key and a number, in the order of the run: they are others in each run. */
class RunNames {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  without(value: unknown, key = ''): unknown {
    if (typeof value === 'string' && isId.test(key)) return this.#nameOf(key, value);
    if (isTime.test(key)) return '(time)';
    if (Array.isArray(value)) return value.map((item) => this.without(item, key));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, this.without(field, name)]),
    );
  }

  #nameOf(key: string, value: string): string {
    // Ids of options, models and the like are words, and the same in each run.
    if (!/\d/.test(value) || value.length < 6) return value;
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    const name = `(${key} ${count})`;
    this.#names.set(value, name);
    return name;
  }
}
