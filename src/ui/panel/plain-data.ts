/** What cannot be in a message, at the end that sends it or at the one that reads it. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';

  constructor(why: string) {
    super(`This cannot be sent: ${why}.`);
  }
}

/** The maximum nesting depth of a message. The form of no message is deeper; content of prompts can be. */
const maxDepth = 64;

/** How much of a key is said, in characters. */
const maxKeyLength = 100;

/**
 * Reads what the other end has sent, or is to read: JSON text, or an object. Returns a copy that is only plain data, so
 * that no getter, prototype or later change of the sender has an effect.
 *
 * @param maxCharacters - How long the JSON may be, in UTF-16 code units.
 * @throws {@link UnreadableMessage}
 */
export function readPlainData(message: unknown, maxCharacters: number): unknown {
  try {
    if (typeof message !== 'string') return JSON.parse(jsonOf(message, maxCharacters));
    assertLength(message.length, maxCharacters);
    const data: unknown = JSON.parse(message);
    jsonOf(data, Number.POSITIVE_INFINITY);
    return data;
  } catch (error) {
    if (error instanceof UnreadableMessage) throw error;
    throw new UnreadableMessage('it is not JSON, or contains itself');
  }
}

function assertLength(length: number, maxCharacters: number): void {
  if (length <= maxCharacters) return;
  const found = `${length.toLocaleString('en')} characters or more`;
  throw new UnreadableMessage(`it has ${found}, and the limit is ${maxCharacters.toLocaleString('en')}`);
}

/** @throws if something in it would be something else for the other end. */
function jsonOf(message: unknown, maxCharacters: number): string {
  const depths = new Map<unknown, number>();
  let length = 0;
  function check(this: object, key: string): unknown {
    // Not what `toJSON` returns: another channel does not call it.
    const value: unknown = Reflect.get(this, key);
    const isInList = Array.isArray(this);
    if (value === undefined && !isInList) return undefined;
    const name = isInList ? `item ${Number(key) + 1} of a list` : key.slice(0, maxKeyLength);
    const wrong = wrongWith(value);
    if (wrong) throw new UnreadableMessage(`${name || 'it'} is ${wrong}`);
    // An assignment would change the prototype.
    if (key === '__proto__') throw new UnreadableMessage('it has the key __proto__');
    if (Object(value) === value) {
      const depth = (depths.get(this) ?? 0) + 1;
      depths.set(value, depth);
      if (depth > maxDepth) throw new UnreadableMessage(`it is more than ${maxDepth} levels deep`);
    }
    // A list can be endless.
    length += typeof value === 'string' ? value.length : 1;
    assertLength(length, maxCharacters);
    return value;
  }
  const json = JSON.stringify(message, check);
  assertLength(json.length, maxCharacters);
  return json;
}

/** Why a value cannot be in a message. `undefined` if it can. */
function wrongWith(value: unknown): string | undefined {
  if (value === undefined) return 'missing';
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value}, which is not a finite number`;
  if (['symbol', 'bigint', 'function'].includes(typeof value)) return `a ${typeof value}`;
  if (Object(value) !== value || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of an object of another window is not the one of this window.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? undefined : 'an object that is not plain, such as a Date or a Map';
}
