import { isJsonObject, type JsonValue } from '../base/json.ts';
import type { ConversationEntry } from '../model/conversation.ts';
import { equal, freeze } from './equal.ts';

type Defaults = {
  readonly [K in ConversationEntry['kind']]: Partial<Extract<ConversationEntry, { kind: K }>>;
};

/** The usual values of required fields. A patch leaves them out: many entries hold little else. */
export const defaults = freeze({
  message: { messageId: null, origin: 'live', meta: null },
  sessionMessage: {
    senderSessionId: null,
    recipientSessionId: null,
    senderMessageId: null,
    recipientMessageId: null,
    origin: 'live',
    meta: null,
  },
  toolCall: {
    title: null,
    toolKind: 'other',
    name: null,
    status: 'pending',
    content: [],
    locations: [],
    capabilities: null,
    permission: null,
    origin: 'live',
    meta: null,
  },
  compaction: { summary: [], error: null, origin: 'live', meta: null },
  turnFailure: { code: null, origin: 'live' },
  unknown: { origin: 'live' },
} satisfies Defaults);

/** Later versions of the library can have more kinds. */
function defaultsOf(kind: unknown): Readonly<Record<string, unknown>> {
  return typeof kind === 'string' && Object.hasOwn(defaults, kind)
    ? defaults[kind as ConversationEntry['kind']]
    : {};
}

/** An entry without the fields that have their default value. */
export function shortEntry(entry: ConversationEntry): JsonValue {
  const usual = defaultsOf(entry.kind);
  const fields = Object.entries(entry).filter(
    ([key, value]) => !(Object.hasOwn(usual, key) && equal(usual[key], value)),
  );
  return Object.fromEntries(fields);
}

/** Adds the fields that {@link shortEntry} left out. */
export function completeEntry(entry: JsonValue): JsonValue {
  // The defaults are JSON values.
  return isJsonObject(entry) ? ({ ...defaultsOf(entry['kind']), ...entry } as JsonValue) : entry;
}
