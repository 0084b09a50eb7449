import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { Block } from './history.ts';
import { rpcErrors } from './rpc-error.ts';

// Readers of parameters. Each throws -32602 with the path and with what it wants there.

export function readObject(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw rpcErrors.invalidParams(path, 'an object');
}

export function readString(params: JsonObject, key: string, path = key): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw rpcErrors.invalidParams(path, 'a string');
}

/** `undefined` where it is left out or `null`. */
export function readOptionalString(params: JsonObject, key: string): string | undefined {
  return isGiven(params[key]) ? readString(params, key) : undefined;
}

export function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null;
}

export function readAbsolutePath(params: JsonObject, key: string): string {
  return checkAbsolute(params[key], key);
}

export function readAdditionalDirectories(params: JsonObject): readonly string[] {
  const value = params['additionalDirectories'];
  if (!isGiven(value)) return [];
  if (!Array.isArray(value)) throw rpcErrors.invalidParams('additionalDirectories', 'an array');
  return value.map((entry: JsonValue, index) => checkAbsolute(entry, `additionalDirectories[${index}]`));
}

/** A path is absolute in the syntax of any system: `/x`, `C:\x`, `\\server\share`. */
function checkAbsolute(value: JsonValue | undefined, path: string): string {
  if (typeof value === 'string' && /^(?:\/|[a-z]:[\\/]|\\\\)/i.test(value)) return value;
  throw rpcErrors.invalidParams(path, 'an absolute path');
}

/** Looks at the servers and connects to none: nothing in the script needs a tool. */
export function checkMcpServers(value: JsonValue | undefined): void {
  if (!Array.isArray(value)) throw rpcErrors.invalidParams('mcpServers', 'an array');
  value.forEach((entry: JsonValue, index) => {
    const path = `mcpServers[${index}]`;
    const server = readObject(entry, path);
    readString(server, 'name', `${path}.name`);
    const { type = 'stdio' } = server;
    if (type === 'stdio') readString(server, 'command', `${path}.command`);
    else if (type === 'http') readString(server, 'url', `${path}.url`);
    else throw rpcErrors.invalidParams(`${path}.type`, '"stdio" or "http"');
  });
}

export function readPrompt(params: JsonObject): readonly Block[] {
  const value = params['prompt'];
  if (!Array.isArray(value) || value.length === 0) {
    throw rpcErrors.invalidParams('prompt', 'an array of at least one block');
  }
  return value.map((entry: JsonValue, index) => readBlock(entry, `prompt[${index}]`));
}

/** What a block of each kind that the agent takes must have, beside its type. */
const blockFields: ReadonlyMap<JsonValue | undefined, readonly string[]> = new Map([
  ['text', ['text']],
  ['image', ['data', 'mimeType']],
  ['resource_link', ['name', 'uri']],
  ['resource', []],
]);

function readBlock(value: JsonValue, path: string): Block {
  const block = readObject(value, path);
  const fields = blockFields.get(block['type']);
  if (!fields) throw rpcErrors.invalidParams(`${path}.type`, [...blockFields.keys()].join(', '));
  for (const field of fields) readString(block, field, `${path}.${field}`);
  if (block['type'] === 'resource') {
    readString(readObject(block['resource'], `${path}.resource`), 'uri', `${path}.resource.uri`);
  }
  return block;
}

/** All that is text in a prompt. */
export function promptText(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : [])).join('\n');
}
