import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';

/**
 * Takes the spellings of version 2's earlier drafts to today's, where only one reading is possible. Agents in the
 * field still have them. It runs only on what does not read as it came.
 *
 * @see https://agentclientprotocol.com/protocol/v2/migration
 */

type Respell = (object: JsonObject) => JsonObject;

/** A `session/update`, by its tag. */
export function upgradeDraftUpdate(update: JsonObject): JsonObject {
  const tag = String(update['sessionUpdate']);
  return Object.hasOwn(updates, tag) ? (updates[tag] as Respell)(update) : update;
}

/** What a session answers with when it is opened, or when an option of it is set. */
export function upgradeDraftSession(result: unknown): unknown {
  if (result === null) return {};
  return isJsonObject(result) ? upgradeDraftCommands(upgradeDraftConfigOptions(result)) : result;
}

const upgradeDraftToolCall = each('content', upgradeDraftContent);

const upgradeDraftConfigOptions = each('configOptions', (option) =>
  each('options', renamed('group', 'groupId'))(renamed('id', 'configId')(option)),
);

/** Commands had no type. */
const upgradeDraftCommands = each('availableCommands', (command) =>
  'type' in command ? command : { ...command, type: 'command' },
);

const updates: Readonly<Record<string, Respell>> = {
  plan_update: at('plan', renamed('id', 'planId')),
  config_option_update: upgradeDraftConfigOptions,
  available_commands_update: upgradeDraftCommands,
  tool_call_update: upgradeDraftToolCall,
  tool_call_content_chunk: at('content', upgradeDraftContent),
};

/** A permission request had no title and no subject but the tool call, as in version 1. */
export function upgradeDraftPermission(params: unknown): unknown {
  if (!isJsonObject(params)) return params;
  const { toolCall, title, ...rest } = params;
  const request =
    title === undefined && isJsonObject(toolCall)
      ? { ...rest, title: toolCall['title'] ?? '', subject: { type: 'tool_call', toolCall } }
      : params;
  return at('subject', at('toolCall', upgradeDraftToolCall))(request);
}

/** A diff was one file with its texts before and after, as in version 1. */
function upgradeDraftContent(content: JsonObject): JsonObject {
  const { type, changes, path, oldText = null, newText, ...rest } = content;
  if (type !== 'diff' || changes !== undefined || path === undefined || typeof newText !== 'string') {
    return content;
  }
  const operation = oldText === null ? 'add' : 'modify';
  return { ...rest, type, changes: [{ operation, path, oldText, newText }] };
}

function renamed(from: string, to: string): Respell {
  return (object) => {
    if (to in object || !(from in object)) return object;
    const { [from]: value, ...rest } = object;
    return { ...rest, [to]: value as JsonValue };
  };
}

function at(key: string, upgradeDraft: Respell): Respell {
  return (object) => {
    const value = object[key];
    return isJsonObject(value) ? { ...object, [key]: upgradeDraft(value) } : object;
  };
}

function each(key: string, upgradeDraft: Respell): Respell {
  return (object) => {
    const items = object[key];
    if (!Array.isArray(items)) return object;
    // The type checker takes a readonly array for no array.
    const list: readonly JsonValue[] = items;
    return { ...object, [key]: list.map((item) => (isJsonObject(item) ? upgradeDraft(item) : item)) };
  };
}
