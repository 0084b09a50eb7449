import type { PatchOperation } from '../../../conversation/patch.ts';
import type { Conversation, ConversationEntry } from '../../../model/conversation.ts';
import type { ConversationChange } from '../timeline/items.ts';
import { plansKey } from './plans.ts';

/** The names of the parts of a conversation, by the field. */
const parts: Readonly<Record<string, string>> = {
  plans: 'the plan',
  terminals: 'a terminal',
  activity: 'the activity',
  info: 'the title of the session',
  usage: 'the usage',
  commands: 'the slash commands',
  configOptions: 'the settings',
  modes: 'the modes',
  models: 'the models',
  suggestions: 'what the agent suggests',
  meta: 'the metadata of the session',
  subagents: 'the subagents',
  cursors: 'the cursors',
  pendingMessages: 'the messages that wait',
};

/** One line of what a message changed. `entry` is the key of the entry that it is about. */
export interface ChangeLine {
  readonly text: string;
  readonly entry: string | null;
}

/**
 * What a message changed, as lines to read.
 *
 * @param conversation - After the change.
 */
export function changeLines(
  { patch }: ConversationChange,
  conversation: Conversation | undefined,
): readonly ChangeLine[] {
  const lines = patch.map((operation) => lineOf(operation, conversation));
  return [...new Map(lines.map((line) => [`${line.entry} ${line.text}`, line])).values()];
}

function lineOf(operation: PatchOperation, conversation: Conversation | undefined): ChangeLine {
  if (operation.op === 'output') {
    return { text: `output of terminal ${operation.terminalId}: added`, entry: null };
  }
  const [field, place, ...rest] = operation.path;
  if (field === undefined) return { text: 'the session begins', entry: null };
  if (field !== 'entries') {
    const name = parts[String(field)] ?? String(field);
    const inner = operation.path.slice(1).join('.');
    const value = operation.op === 'set' ? shortValue(operation.value) : '';
    return {
      text: `${name}${inner && ` (${inner})`}: ${verb(operation)}${value && ` ${value}`}`,
      entry: field === 'plans' ? plansKey : null,
    };
  }
  if (operation.op === 'splice' && place === undefined) return spliceLine(operation, conversation);
  const entry = conversation?.entries[Number(place)];
  const name = entry ? entryName(entry) : `entry ${place}`;
  const inner = rest.join('.');
  const value = operation.op === 'set' && inner !== '' ? ` ${shortValue(operation.value)}` : '';
  return { text: `${name}: ${inner && `${inner} `}${verb(operation)}${value}`, entry: entry?.key ?? null };
}

function spliceLine(
  splice: Extract<PatchOperation, { op: 'splice' }>,
  conversation: Conversation | undefined,
): ChangeLine {
  const { at, remove, insert } = splice;
  const added = conversation?.entries[at];
  if (remove === 0 && insert.length === 1 && added) {
    return { text: `added ${entryName(added)}`, entry: added.key };
  }
  return { text: `entries: ${verb(splice)}`, entry: added?.key ?? null };
}

function verb(operation: Exclude<PatchOperation, { op: 'output' }>): string {
  switch (operation.op) {
    case 'set':
      return 'set';
    case 'unset':
      return 'removed';
    case 'append':
      return `+${operation.text.length} ${operation.text.length === 1 ? 'character' : 'characters'}`;
    case 'splice': {
      const { insert, remove } = operation;
      const words = [remove > 0 && `removed ${remove}`, insert.length > 0 && `added ${insert.length}`];
      return words.filter(Boolean).join(', ');
    }
  }
}

/** What an entry is, in a few words. */
export function entryName(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'message':
      return entry.role === 'thought' ? 'a thought' : `a message of the ${entry.role}`;
    case 'toolCall':
      return `tool call “${short(entry.title ?? entry.name ?? entry.toolCallId)}”`;
    case 'sessionMessage':
      return 'a message between sessions';
    case 'compaction':
      return 'a compaction';
    case 'turnFailure':
      return 'the failure of a turn';
    case 'unknown':
      return `an update of the unknown kind “${short(entry.tag)}”`;
  }
}

function shortValue(value: unknown): string {
  if (typeof value === 'string') return `“${short(value)}”`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (!Array.isArray(value) && 'state' in value) return `“${short(String(value.state))}”`;
  return '';
}

function short(text: string): string {
  const line = text.split('\n')[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
