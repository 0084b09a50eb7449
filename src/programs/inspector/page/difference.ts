import { isJsonObject } from '../../../base/json.ts';
import { align } from './align.ts';
import { chunkOf, updateIn } from './chunks.ts';
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

/** What each version of the protocol has under a name of its own. */
const sameThing: Readonly<Record<string, string>> = {
  'session/load': 'session/resume',
  'session/set_mode': 'session/set_config_option',
  agent_message_chunk: 'agent_message',
  agent_thought_chunk: 'agent_thought',
  user_message_chunk: 'user_message',
  tool_call: 'tool_call_update',
  current_mode_update: 'config_option_update',
  plan: 'plan_update',
};

/** What a step is about, in each version of the protocol. */
function subjectOf({ signature }: Step): string {
  const words = signature.split(' ');
  return words.map((word) => (Object.hasOwn(sameThing, word) ? sameThing[word] : word)).join(' ');
}

/** The steps of two timelines, those that are the same beside each other. */
export function compareRows(left: readonly Row[], right: readonly Row[]): readonly StepPair[] {
  const pairs = align(stepsOf(left), stepsOf(right), [
    (step) => `${subjectOf(step)} ${step.content}`,
    ({ signature }) => signature,
    subjectOf,
  ]);
  return pairs.map(([before, after]) => pairOf(before, after));
}

function pairOf(left: Step | undefined, right: Step | undefined): StepPair {
  if (!left) return { left, right, is: 'added' };
  if (!right) return { left, right, is: 'removed' };
  return { left, right, is: left.content === right.content ? 'equal' : 'changed' };
}

function stepsOf(rows: readonly Row[]): readonly Step[] {
  const names = new RunNames();
  const steps: { rows: Row[]; signature: string; content: string; isText: boolean }[] = [];
  for (const row of rows) {
    const { item, kind, label } = row;
    if (item.type !== 'message') continue;
    const tag = updateIn(item.msg)?.['sessionUpdate'];
    const signature = [item.dir, kind, label, typeof tag === 'string' ? tag : ''].join(' ').trim();
    const text = chunkOf(row)?.text;
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
