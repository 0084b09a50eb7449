import { expect } from 'vitest';
import { isJsonObject } from '../../src/core/base/json.ts';
import { parseMessage } from '../../src/core/transport/parse-message.ts';
import { dialects, versions } from '../oracle/ours.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import type { Recording } from './corpus.ts';
import { bytesOf, type Damage } from './mutations.ts';

const decoder = new TextDecoder();
const everyDialect = versions.flatMap((version) => dialects[version]);

/**
 * Folds what the dialects take of damaged updates. Fails if one throws, or if the conversation is no longer
 * plain data whose entries have different keys.
 */
export function foldDamage(recording: Recording, damages: readonly Damage[]): void {
  let conversation = emptyConversation('s1');
  for (const item of damages) {
    const raw = updateIn(decoder.decode(bytesOf(item, recording)));
    for (const dialect of everyDialect) {
      const { update, more = [] } = { more: [], ...dialect.normalize(raw) };
      if (update) conversation = foldUpdates(conversation, [update, ...more]);
    }
  }
  const copy = JSON.parse(JSON.stringify(conversation));
  expect(copy).toEqual(conversation);
  const keys = conversation.entries.map(({ key }) => key);
  expect(keys.filter((key) => typeof key !== 'string')).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
  for (const entry of conversation.entries) {
    if (entry.kind === 'message')
      expect(entry.messageId === null || typeof entry.messageId === 'string').toBe(true);
  }
}

/** The update in a line, or what stands in its place. */
function updateIn(line: string): unknown {
  const message: unknown = parseMessage(line);
  const params = isJsonObject(message) ? message['params'] : message;
  return isJsonObject(params) && 'update' in params ? params['update'] : params;
}
