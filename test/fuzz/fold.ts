import { expect } from 'vitest';
import { isJsonObject } from '../../src/json.ts';
import type { AnyUpdate } from '../../src/model/client-update.ts';
import { parseMessage } from '../../src/transport/parse-message.ts';
import { emptyConversation, foldUpdate } from '../support/fold-any.ts';
import type { Recording } from './corpus.ts';
import { bytesOf, type Damage } from './mutations.ts';

const decoder = new TextDecoder();

/**
 * Folds damaged updates without the checks of a connection. Fails if one throws, or if the conversation is no longer
 * plain data whose entries have different keys.
 */
export function foldDamage(recording: Recording, damages: readonly Damage[]): void {
  let conversation = emptyConversation('s1');
  for (const item of damages) {
    const update = updateIn(decoder.decode(bytesOf(item, recording)));
    // The type is what a caller passes who trusts a recording.
    conversation = foldUpdate(conversation, update as AnyUpdate);
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
