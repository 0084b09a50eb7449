import { isJsonObject, type JsonObject } from '../../../core/base/json.ts';
import { isToolCallFinished } from '../../../core/model/tool-call-status.ts';
import { paramsOf } from '../timeline/offered.ts';
import { updateIn } from './chunks.ts';
import { lineText, type Row } from './rows.ts';

/** Something that took time: a turn, the loading of a session, a tool call, or a question to the user. */
export interface Action {
  readonly kind: 'turn' | 'load' | 'tool' | 'question';
  /** Index of the first row. */
  readonly first: number;
  /** Index of the last row. `null`: it goes on, or its end is not in the timeline. */
  last: number | null;
  readonly sessionId: string | null;
  /** The prompt, the method, or the title of the tool call. */
  title: string;
  /** How it ended, such as `end_turn` or `completed`. */
  outcome: string | null;
  /** Whether it belongs to the turn or the load before it. */
  readonly isInner: boolean;
}

/** The requests that open a session, and can bring its history. */
const loads: ReadonlySet<string> = new Set(['session/load', 'session/resume', 'session/new', 'session/fork']);

const questions: Readonly<Record<string, string>> = {
  'session/request_permission': 'permission',
  'elicitation/create': 'question',
};

/** The actions of a timeline, in the order of their beginning. Rows that are added are looked at alone. */
export class Actions {
  readonly list: Action[] = [];
  #rows: readonly Row[] | undefined;
  #seen = 0;
  /** The actions that go on: requests by the index of their row, turns by their session, and tool calls by their id. */
  readonly #requests = new Map<number, Action>();
  readonly #turns = new Map<string | null, Action>();
  readonly #tools = new Map<string, Action>();
  readonly #openTools = new Map<string | null, Set<Action>>();
  /** The turns whose prompt was accepted, in version 2. */
  readonly #accepted = new Set<Action>();
  /** What each session does, as far as it says so. */
  readonly #states = new Map<string | null, unknown>();

  update(rows: readonly Row[]): readonly Action[] {
    this.#rows ??= rows;
    for (; this.#seen < rows.length; this.#seen++) {
      const row = rows[this.#seen];
      if (row?.item.type === 'message' && isJsonObject(row.item.msg)) this.#read(row, row.item.msg);
    }
    return this.list;
  }

  #read(row: Row, message: JsonObject): void {
    if (row.kind === 'answer' || row.kind === 'error') return this.#answer(row, message);
    if (row.kind === 'request') return this.#request(row, message);
    const update = updateIn(message);
    if (update) this.#update(row, update);
  }

  #request(row: Row, message: JsonObject): void {
    const { label, item } = row;
    const isSent = item.type === 'message' && item.dir === 'out';
    if (isSent && label === 'session/prompt') {
      // Of several prompts at once, the last one has the end of the turn.
      this.#turns.set(row.sessionId, this.#begin(row, 'turn', promptIn(message)));
    } else if (isSent && loads.has(label)) this.#begin(row, 'load', label);
    else if (!isSent && Object.hasOwn(questions, label)) {
      const { toolCall, message: text, title } = paramsOf(message);
      const asked = isJsonObject(toolCall) ? (toolCall['title'] ?? title) : (text ?? title);
      this.#begin(row, 'question', typeof asked === 'string' ? asked : (questions[label] ?? label));
    }
  }

  #begin(row: Row, kind: Action['kind'], title: string): Action {
    const isInner = kind === 'tool' || kind === 'question';
    const action: Action = {
      kind,
      first: row.index,
      last: null,
      sessionId: row.sessionId,
      title: lineText(title),
      outcome: null,
      isInner: isInner && this.list.length > 0,
    };
    this.list.push(action);
    if (kind !== 'tool') this.#requests.set(row.index, action);
    return action;
  }

  #answer(row: Row, { result, error }: JsonObject): void {
    const action = this.#requests.get(row.pair ?? -1);
    if (!action) return;
    this.#requests.delete(row.pair ?? -1);
    const stopReason = isJsonObject(result) ? result['stopReason'] : undefined;
    if (action.last !== null) return;
    // In version 2 the answer accepts the prompt, and the turn goes on.
    if (action.kind === 'turn' && error === undefined && typeof stopReason !== 'string') {
      this.#accepted.add(action);
      return;
    }
    const answered = typeof stopReason === 'string' ? stopReason : outcomeIn(result);
    this.#end(action, row, error === undefined ? answered : errorIn(error));
  }

  #end(action: Action, row: Row, outcome: string | null): void {
    Object.assign(action, { last: row.index, outcome });
    this.#accepted.delete(action);
    if (this.#turns.get(action.sessionId) === action) this.#turns.delete(action.sessionId);
    if (action.kind !== 'turn') return;
    // What the agent left open in the turn does not go on after it.
    for (const tool of this.#openTools.get(action.sessionId) ?? []) {
      Object.assign(tool, { last: row.index, outcome: 'left open' });
    }
    this.#openTools.delete(action.sessionId);
  }

  #update(row: Row, update: Readonly<Record<string, unknown>>): void {
    const { sessionUpdate: kind, state, stopReason, toolCallId, title, status } = update;
    const turn = this.#turns.get(row.sessionId);
    const before = this.#states.get(row.sessionId) ?? 'idle';
    if (kind === 'state_update') this.#states.set(row.sessionId, state);
    else if (String(kind).startsWith('agent_')) this.#states.set(row.sessionId, 'running');
    // A session can say that it is idle before it accepts the prompt, and again before it begins to work on it.
    const isEnd = state === 'idle' && (before !== 'idle' || typeof stopReason === 'string');
    if (kind === 'state_update' && isEnd && turn && this.#accepted.has(turn)) {
      this.#end(turn, row, typeof stopReason === 'string' ? stopReason : 'idle');
    }
    if (typeof toolCallId !== 'string' || typeof kind !== 'string' || !kind.startsWith('tool_call')) return;
    const id = JSON.stringify([row.sessionId, toolCallId]);
    const old = this.#tools.get(id);
    // Late news of a call that has ended have no title. With one it is another call, under the same id.
    const action = old && (old.last === null || !title) ? old : this.#begin(row, 'tool', toolCallId);
    this.#tools.set(id, action);
    const open = this.#openTools.get(row.sessionId) ?? new Set();
    this.#openTools.set(row.sessionId, open);
    if (action.last === null) open.add(action);
    if (typeof title === 'string') action.title = lineText(title);
    // What comes after the end, such as more output, does not make it longer.
    if (action.last === null && typeof status === 'string' && isToolCallFinished(status)) {
      this.#end(action, row, status);
      open.delete(action);
    }
  }
}

/** The first line of the text of a prompt. */
function promptIn(message: JsonObject): string {
  const { prompt } = paramsOf(message);
  const blocks: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  const texts = blocks.filter(isJsonObject).flatMap(({ text }) => (typeof text === 'string' ? text : []));
  return texts.join(' ').trim() || 'a prompt without a text';
}

/** What the user answered. */
function outcomeIn(result: unknown): string | null {
  if (!isJsonObject(result)) return null;
  const { outcome, action } = result;
  if (typeof action === 'string') return action;
  if (!isJsonObject(outcome)) return null;
  const { outcome: name, optionId } = outcome;
  return typeof optionId === 'string' ? optionId : typeof name === 'string' ? name : null;
}

function errorIn(error: unknown): string {
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? lineText(message) : 'error';
}
