import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import schema from '../../docs/conversation.schema.json' with { type: 'json' };
import type { JsonObject } from '../../src/core/base/json.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { exportConversation } from '../../src/records/saved/export.ts';
import { conversationFault, importConversation } from '../../src/records/saved/import.ts';

// With `strict`, a schema that does not mean what it says is an error.
const ajv = new Ajv2020({ strict: true, strictTypes: false });

export const isValid = ajv.compile(schema);

/** What only the library makes, and no agent adds to. */
const own = [
  'Conversation',
  'ConversationTerminal',
  'PendingMessage',
  'PromptSuggestion',
  'SessionActivity',
  'SessionCursor',
  'SessionUsage',
  'SubagentInfo',
  'ToolCallProgress',
  ...['ItemsPlan', 'MarkdownPlan'],
  ...['Message', 'SessionMessage', 'ToolCall', 'Compaction', 'TurnFailure', 'Unknown'].map(
    (kind) => `${kind}Entry`,
  ),
];

const { $defs } = schema;
const isExact = ajv.compile({
  $ref: '#/$defs/Exact',
  $defs: {
    ...$defs,
    ...Object.fromEntries(
      own.map((name) => [name, { ...$defs[name as keyof typeof $defs], additionalProperties: false }]),
    ),
    Exact: {
      $ref: '#/$defs/Conversation',
      type: 'object',
      properties: {
        pendingMessages: { minItems: 1 },
        terminals: {
          additionalProperties: { properties: { incompleteBytes: { minItems: 1, maxItems: 3 } } },
        },
      },
    },
  },
});

/** What is wrong with a conversation that the library has made: it has no other fields, and no empty lists of some kinds. */
export function conversationIssues(value: unknown): readonly string[] {
  const fault = conversationFault(value);
  const errors = isExact(value) ? [] : (isExact.errors ?? []);
  return [fault?.message ?? '', ...errors.map((error) => `${error.instancePath} ${error.message}`)].filter(
    Boolean,
  );
}

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

/** Fails if a value, or a value in it, is not frozen. */
export function assertFrozen(value: unknown, path = 'conversation'): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value), path).toBe(true);
  for (const [key, part] of Object.entries(value)) assertFrozen(part, `${path}.${key}`);
}
