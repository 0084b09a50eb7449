import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isJsonObject } from '../../../src/base/json.ts';

/** What a client would show after some updates: small, and written without a look at this library's own fold. */
export interface Picture {
  readonly entries: readonly JsonObject[];
  readonly terminals: Readonly<Record<string, JsonObject>>;
  /** The last of each kind of update that replaces what was there. */
  readonly latest: JsonObject;
}

const patched = ['title', 'name', 'kind', 'status', 'content', 'locations', 'rawInput', 'rawOutput'] as const;

export function fold(updates: readonly JsonObject[]): Picture {
  const entries = new Map<string, Record<string, JsonValue>>();
  const terminals: Record<string, Record<string, JsonValue>> = {};
  const latest: Record<string, JsonValue> = {};

  for (const update of updates) {
    const tag = String(update['sessionUpdate']);
    const role = /^(user_message|agent_message|agent_thought)(_chunk)?$/.exec(tag);
    if (role) {
      const entry = at(entries, `${role[1]} ${update['messageId']}`);
      entry['content'] = role[2]
        ? append(list(entry['content']), update['content'])
        : (update['content'] ?? []);
    } else if (tag === 'tool_call' || tag === 'tool_call_update') {
      const entry = at(entries, `tool ${update['toolCallId']}`);
      for (const key of patched) if (update[key] !== undefined) entry[key] = update[key];
      entry['content'] ??= [];
    } else if (tag === 'tool_call_content_chunk') {
      const entry = at(entries, `tool ${update['toolCallId']}`);
      entry['content'] = [...list(entry['content']), update['content'] ?? null];
    } else if (tag === 'terminal_update' || tag === 'terminal_output_chunk') {
      foldTerminal(terminals, update);
    } else if (tag === 'plan_update') {
      latest['plan'] = update['plan'] ?? null;
    } else if (tag !== 'state_update') {
      latest[tag] = update;
    }
  }
  return { entries: [...entries].map(([key, entry]) => ({ key, ...entry })), terminals, latest };
}

function foldTerminal(terminals: Record<string, Record<string, JsonValue>>, update: JsonObject): void {
  const id = String(update['terminalId']);
  const terminal = terminals[id] ?? { hex: '' };
  terminals[id] = terminal;
  for (const key of ['command', 'cwd', 'exitStatus']) {
    if (update[key] !== undefined) terminal[key] = update[key];
  }
  if (isJsonObject(update['output'])) terminal['hex'] = hex(update['output']['data']);
  if (update['data'] !== undefined) terminal['hex'] = `${terminal['hex']}${hex(update['data'])}`;
}

function hex(base64: JsonValue | undefined): string {
  return Buffer.from(String(base64), 'base64').toString('hex');
}

function at(entries: Map<string, Record<string, JsonValue>>, key: string): Record<string, JsonValue> {
  const entry = entries.get(key) ?? {};
  entries.set(key, entry);
  return entry;
}

/** Chunks of text run together; anything else stands alone. */
function append(content: readonly JsonValue[], block: JsonValue | undefined): readonly JsonValue[] {
  const last = content.at(-1);
  if (!isJsonObject(block)) throw new TypeError('A chunk holds no block');
  if (!isJsonObject(last) || last['type'] !== 'text' || block['type'] !== 'text') return [...content, block];
  return [...content.slice(0, -1), { type: 'text', text: `${last['text']}${block['text']}` }];
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
