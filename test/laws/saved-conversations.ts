import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { exportConversation } from '../../src/conversation/export.ts';
import { importConversation } from '../../src/conversation/import.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import { conversationSchema } from '../support/conversation-schema.ts';

// With `strict`, a schema that does not mean what it says is an error.
export const isValid = new Ajv2020({ strict: true, strictTypes: false }).compile(conversationSchema());

/** What another program reads. */
const written = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

/** A saved conversation fits the schema, and the import gives the same conversation again. */
export function expectSaved(conversation: Conversation, name?: string): Conversation {
  const file = written(exportConversation(conversation));
  isValid(file);
  expect(isValid.errors ?? [], name).toEqual([]);
  const imported = importConversation(file);
  expect(imported, name).toEqual(conversation);
  expect(written(exportConversation(imported)), name).toEqual(file);
  return imported;
}
