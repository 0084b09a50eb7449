import { isJsonObject } from '../../../core/base/json.ts';
import { paramsOf } from '../../../records/recording/recorded-message.ts';
import type { Row } from './rows.ts';

/** Kinds of updates that come in pieces. */
const kinds: ReadonlySet<unknown> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
]);

/** A piece of a text. */
export interface Chunk {
  readonly text: string;
  /** What the pieces of one text have in common. */
  readonly of: string;
}

/** The update in a message. */
export function updateIn(message: unknown): Readonly<Record<string, unknown>> | undefined {
  const { update } = isJsonObject(message) ? paramsOf(message) : {};
  return isJsonObject(update) ? update : undefined;
}

/** The piece of a text that a row has, if it has one. */
export function chunkOf({ item, sessionId }: Row): Chunk | undefined {
  if (item.type !== 'message') return undefined;
  const update = updateIn(item.msg);
  const kind = update?.['sessionUpdate'];
  if (!update || !kinds.has(kind)) return undefined;
  const { content, messageId = null } = update;
  const text = isJsonObject(content) ? content['text'] : undefined;
  if (typeof text !== 'string') return undefined;
  return { text, of: JSON.stringify([item.dir, sessionId, kind, messageId]) };
}
