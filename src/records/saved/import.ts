import { InvalidParamsError } from '../../core/base/errors.ts';
import { isJsonObject } from '../../core/base/json.ts';
import { kindOf } from '../../core/base/kind-of.ts';
import { freeze } from '../../core/conversation/equal.ts';
import { currentConversation } from '../../core/conversation/saved.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { type Fault, faultInTypes } from './check.ts';
import { exportFormat, exportVersion } from './export.ts';

/**
 * Reads what {@link exportConversation} returned, after `JSON.parse`. It reads every version that a release has written,
 * and a conversation that was saved with `JSON.stringify` alone.
 *
 * The value is checked completely and copied. The result is frozen, and equals the conversation that was exported. Fields
 * that are not known stay.
 *
 * @throws InvalidParamsError and nothing else. It says what is wrong and where, and `issues` has both. The path of the
 *   issue is `version` if a newer package wrote the value.
 *
 * @example
 * ```ts
 * const conversation = importConversation(JSON.parse(await readFile('transcript.json', 'utf8')));
 * ```
 */
export function importConversation(value: unknown): Conversation {
  const { version, conversation, path } = opened(copied(value));
  const current = version < exportVersion ? fromSaved(conversation) : conversation;
  const fault = conversationFault(current);
  if (fault) throw refusal([...path, ...fault.path], fault.message);
  // It was just checked.
  return freeze(current as Conversation);
}

/** The value as `JSON.parse` would return it: without getters, classes and cycles. */
function copied(value: unknown): unknown {
  if (typeof value === 'string') {
    throw refusal([], 'must be an object; got a string. Pass what JSON.parse returns for it');
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new InvalidParamsError(`importConversation: the value cannot be written as JSON.`, {
      cause: error,
      issues: [{ path: 'value', message: 'cannot be written as JSON' }],
    });
  }
  return text === undefined ? undefined : JSON.parse(text);
}

interface Opened {
  /** 0: saved without `exportConversation`. */
  readonly version: number;
  readonly conversation: unknown;
  /** Where the conversation is. */
  readonly path: Fault['path'];
}

function opened(value: unknown): Opened {
  if (!isJsonObject(value)) throw refusal([], `must be an object; got ${kindOf(value)}`);
  const { format, version, conversation } = value;
  if (format === undefined && 'entries' in value) return { version: 0, conversation: value, path: [] };
  if (format !== exportFormat) {
    throw refusal(['format'], `must be ${JSON.stringify(exportFormat)}: this is no exported conversation`);
  }
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw refusal(['version'], 'must be a whole number from 1');
  }
  if (version > exportVersion) throw newer(version, value['madeBy']);
  return { version, conversation, path: ['conversation'] };
}

function newer(version: number, madeBy: unknown): InvalidParamsError {
  const by = isJsonObject(madeBy) ? `${madeBy['name']} ${madeBy['version']}` : 'a program without a name';
  return refusal(
    ['version'],
    `is ${version}, written by ${by}. This version of acp-client-sdk reads up to ${exportVersion}: update it`,
  );
}

/** What an earlier version of this package has written, in the form of today. It is not checked before, but after. */
export function fromSaved(conversation: unknown): unknown {
  const isReadable =
    isJsonObject(conversation) &&
    isJsonObject(conversation['terminals']) &&
    Array.isArray(conversation['plans']);
  return isReadable ? currentConversation(conversation as unknown as Conversation) : conversation;
}

/** The first fault of a conversation: in its types, or in what the types do not say. */
export function conversationFault(value: unknown): Fault | undefined {
  const fault = faultInTypes(value);
  if (fault) return fault;
  // It was just checked.
  const { entries, terminals } = value as Conversation;
  const keys = new Set<string>();
  for (const [index, { key }] of entries.entries()) {
    if (keys.has(key)) return { path: ['entries', index, 'key'], message: 'is the key of an earlier entry' };
    keys.add(key);
  }
  for (const [id, { terminalId }] of Object.entries(terminals)) {
    if (terminalId !== id) {
      return { path: ['terminals', id, 'terminalId'], message: 'differs from the key of the terminal' };
    }
  }
  return undefined;
}

function refusal(keys: Fault['path'], message: string): InvalidParamsError {
  const path = keys.length === 0 ? 'value' : keys.join('.');
  return new InvalidParamsError(`importConversation: ${path} ${message}.`, { issues: [{ path, message }] });
}
