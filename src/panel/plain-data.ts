/** A message that cannot be read. The text says why, for the log. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';
}

/** The maximum nesting depth of a message. The form of no message is deeper; content of prompts can be. */
const maxDepth = 64;

/**
 * Reads a message of the other end: JSON text, or an object. Returns a copy that is only plain data, so that no getter,
 * prototype or later change of the sender has an effect.
 *
 * @param maxCharacters - How long the text may be, in UTF-16 code units. For an object: its keys and texts, and 8 for
 *   each other value.
 * @throws {@link UnreadableMessage}
 */
export function readPlainData(message: unknown, maxCharacters: number): unknown {
  if (typeof message !== 'string') return copyOf(message, maxCharacters);
  if (message.length > maxCharacters) throw tooLong(maxCharacters);
  let data: unknown;
  try {
    data = JSON.parse(message);
  } catch {
    throw new UnreadableMessage('The message is not JSON.');
  }
  // Its length is checked. Its depth is not: what reads it later can be recursive.
  return copyOf(data, Number.POSITIVE_INFINITY);
}

function tooLong(maxCharacters: number): UnreadableMessage {
  return new UnreadableMessage(`The message is longer than ${maxCharacters} characters.`);
}

/** What a value without a text counts. */
const valueLength = 8;

function copyOf(message: unknown, maxCharacters: number): unknown {
  let left = maxCharacters;
  const count = (length: number) => {
    left -= length;
    if (left < 0) throw tooLong(maxCharacters);
  };

  const copy = (value: unknown, depth: number): unknown => {
    count(typeof value === 'string' ? value.length : valueLength);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'object') throw new UnreadableMessage(`The message contains a ${typeof value}.`);
    if (depth === maxDepth) throw new UnreadableMessage(`The message is nested ${maxDepth} levels deep.`);
    try {
      return Array.isArray(value) ? copyList(value, depth) : copyObject(value, depth);
    } catch (error) {
      if (error instanceof UnreadableMessage) throw error;
      throw new UnreadableMessage('The message cannot be read.');
    }
  };

  const copyList = (list: readonly unknown[], depth: number): unknown[] => {
    const items: unknown[] = [];
    // By index: the length of a proxy can be anything, and each item counts.
    for (let index = 0; index < list.length; index++) items.push(copy(list[index], depth + 1));
    return items;
  };

  const copyObject = (object: object, depth: number): object => {
    const prototype: unknown = Object.getPrototypeOf(object);
    // The prototype of an object of another window is not the one of this window.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw new UnreadableMessage('The message contains an object that is not plain.');
    }
    const fields: Record<string, unknown> = {};
    for (const key of Object.keys(object)) {
      const value: unknown = Reflect.get(object, key);
      // As JSON does.
      if (value === undefined) continue;
      count(key.length);
      // No message has such a key. An assignment would change the prototype.
      if (key === '__proto__') throw new UnreadableMessage('The message has the key __proto__.');
      fields[key] = copy(value, depth + 1);
    }
    return fields;
  };

  return copy(message, 0);
}
