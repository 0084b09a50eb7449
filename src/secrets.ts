import { AcpError } from './errors.ts';
import { isJsonObject } from './json.ts';

/** What stands in the place of a secret. */
export const placeholder = '[redacted]';

/** Keys whose values are secrets in every message of the protocol. */
export const secretKeys: ReadonlySet<string> = new Set(['env', 'headers', '_meta']);

/** The user name and password in a URL. It takes linear time: what it matches has no slash, and it begins at two. */
const urlCredentials = /:\/\/[^\s/?#"'<>\\]*@/g;

/** The text without user names and passwords in URLs. */
export function withoutUrlCredentials(text: string): string {
  return text.includes('://') ? text.replace(urlCredentials, `://${placeholder}@`) : text;
}

/** Shorter values are too common to be found again in other text, such as `1` or `true`. */
const minSecretLength = 8;

/** How many secrets are known at most. */
const maxSecrets = 1000;

/** How deep parameters are searched. */
const maxDepth = 512;

/** A text that was cut off may end within a secret. Fewer characters of it are left. */
const minTailLength = 4;

/** Values that are names or ids of the protocol. A message is not changed there. */
const structuralKey = /^(?:id|jsonrpc|method|sessionUpdate|type|kind|role|status|stopReason|\w+Id)$/;

/** The calls that log in: agents take keys in their `_meta`. */
const loginMethods: ReadonlySet<unknown> = new Set(['authenticate', 'auth/login']);

/**
 * The secrets in the parameters of a call, which an agent may send back in any text: the values of environment variables
 * and headers, passwords in URLs, and the metadata of a login. Values of fewer than eight characters are not among them.
 */
export function secretsIn(method: unknown, params: unknown): readonly string[] {
  const found = new Set<string>();
  const add = (value: string) => {
    if (value.length >= minSecretLength) found.add(value);
  };
  const addValue = (value: string) => {
    add(value);
    // Of `Bearer abc` the agent may send back the second part alone.
    const token = /^\w+ (\S+)$/.exec(value)?.[1];
    if (token !== undefined) add(token);
  };
  // The parameters may be anything until they are written as JSON.
  const seen = new Set<object>();
  const collect = (value: unknown, key: string, isSecret: boolean, depth = 0): void => {
    if (typeof value === 'string') {
      if (isSecret) addValue(value);
      for (const [credentials] of value.includes('://') ? value.matchAll(urlCredentials) : []) {
        const userInfo = credentials.slice(3, -1);
        add(userInfo);
        add(userInfo.slice(userInfo.indexOf(':') + 1));
      }
      return;
    }
    if (typeof value !== 'object' || value === null || seen.has(value) || depth > maxDepth) return;
    seen.add(value);
    const isList = Array.isArray(value);
    for (const name of Object.keys(value)) {
      // In a list of pairs, `name` is the name of the variable or header.
      if (isSecret && name === 'name' && !isList && (key === 'env' || key === 'headers')) continue;
      const isHeld =
        isSecret || name === 'env' || name === 'headers' || (name === '_meta' && loginMethods.has(method));
      const place = name !== '_meta' && (isList || isSecret) ? key : name;
      collect(value[name as keyof typeof value], place, isHeld, depth + 1);
    }
  };
  collect(params, '', false);
  return [...found];
}

/** The secrets that were sent to an agent, to find them in what it sends back. */
export class SentSecrets {
  readonly #values = new Set<string>();
  #pattern: RegExp | undefined;

  add(secrets: readonly string[]): void {
    const before = this.#values.size;
    for (const secret of secrets) {
      if (this.#values.size >= maxSecrets) break;
      this.#values.add(secret);
      // As it is written within JSON.
      this.#values.add(JSON.stringify(secret).slice(1, -1));
    }
    if (this.#values.size === before) return;
    const longestFirst = [...this.#values].sort((one, other) => other.length - one.length);
    const escaped = longestFirst.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    this.#pattern = new RegExp(escaped.join('|'), 'g');
  }

  /** The text without the secrets, without passwords in URLs, and without a secret that it was cut off in. */
  removeFromText(text: string): string {
    const safe = withoutUrlCredentials(text);
    if (!this.#pattern) return safe;
    const whole = safe.replace(this.#pattern, placeholder);
    return whole.endsWith('…') ? this.#withoutTail(whole) : whole;
  }

  /** The JSON value without the secrets in its texts. Returns the same value if it has none. */
  removeFromJson(value: unknown): unknown {
    const pattern = this.#pattern;
    return pattern ? mapTexts(value, (text) => text.replace(pattern, placeholder)) : value;
  }

  /** Removes the secrets from an error of this library, which may repeat what the agent sent. Returns the same error. */
  removeFromError<T>(error: T): T {
    // The reason of a signal is the caller's, and may be any error.
    if (!AcpError.is(error)) return error;
    const remove = (text: string) => this.removeFromText(text);
    for (const name of Object.getOwnPropertyNames(error)) {
      const value: unknown = Reflect.get(error, name);
      if (name === 'cause') this.removeFromError(value);
      else if (name !== 'exit') setProperty(error, name, mapTexts(value, remove));
    }
    return error;
  }

  #withoutTail(text: string): string {
    const end = text.length - 1;
    for (const value of this.#values) {
      for (let length = Math.min(value.length - 1, end); length >= minTailLength; length--) {
        if (text.endsWith(value.slice(0, length), end))
          return `${text.slice(0, end - length)}${placeholder}…`;
      }
    }
    return text;
  }
}

function setProperty(error: Error, name: string, value: unknown): void {
  if (Reflect.get(error, name) === value) return;
  // `stack` is an accessor in Node 22 and later.
  const { enumerable = false } = Object.getOwnPropertyDescriptor(error, name) ?? {};
  Object.defineProperty(error, name, { value, enumerable, writable: true, configurable: true });
}

/** The JSON value with changed texts. Returns the same value if none has changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  return mapMembers(value, (member, key) => (structuralKey.test(key) ? member : mapTexts(member, change)));
}

/** The array or object with changed members. Returns the same value if none has changed. */
export function mapMembers(value: unknown, change: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => change(item, ''));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let hasChanged = false;
  const entries = Object.keys(value).map((key): [string, unknown] => {
    const changed = change(value[key], key);
    hasChanged ||= changed !== value[key];
    return [key, changed];
  });
  // Defines a key `__proto__` like any other.
  return hasChanged ? Object.fromEntries(entries) : value;
}
