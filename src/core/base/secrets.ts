import { AcpError } from './errors.ts';
import { isJsonObject } from './json.ts';
import { KnownTexts } from './known-texts.ts';
import { printable } from './printable.ts';

/** The text that replaces a secret. */
export const placeholder = '[redacted]';

/** Keys whose values are secrets in every message of the protocol. */
export const secretKeys: ReadonlySet<string> = new Set(['env', 'headers', '_meta']);

/** The user name and password in a URL. It takes linear time: what it matches has no slash, and it begins at two. */
const urlCredentials = /:\/\/[^\s/?#"'<>\\]*@/g;

/** The text without user names and passwords in URLs. */
export function withoutUrlCredentials(text: string): string {
  return text.includes('://') ? text.replace(urlCredentials, `://${placeholder}@`) : text;
}

/** The URL without the values of its query, where servers take tokens. */
export function withoutQueryValues(url: string): string {
  const [, start = url, query = '', end = ''] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(url) ?? [];
  const pairs = query.split('&').map((pair) => {
    const name = pair.slice(0, pair.indexOf('=') + 1);
    return pair === name ? pair : name + placeholder;
  });
  return start + pairs.join('&') + end;
}

/** The values in the query of a URL, as they are written there and as they are meant. */
function queryValues(url: string): readonly string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  const written = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...written, ...new URLSearchParams(query).values()];
}

/**
 * A W3C trace context, which consists of random ids. Each call may have another one, and a thousand of them would take
 * the place of what is secret.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
const traceparent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Shorter values are too common to be found again in other text, such as `1` or `true`. */
const minSecretLength = 8;

/** How deep parameters are searched. */
const maxDepth = 512;

/** A text that was cut off may end within a secret. Fewer characters of it are left. */
const minTailLength = 4;

/** Fields that hold names or ids of the protocol. */
const structuralKey = /^(?:id|jsonrpc|method|sessionUpdate|type|kind|role|status|stopReason|\w+Id)$/;

/** Fields whose content the protocol does not define, so that there are no names and ids of the protocol in it. */
const freeKeys: ReadonlySet<string> = new Set(['_meta', 'data', 'rawInput', 'rawOutput']);

/** A name of a field. Keys that are secrets have other characters too. */
const fieldName = /^[A-Za-z]+$/;

/**
 * The secrets in the parameters of a call, which an agent may send back in any text: the values of environment
 * variables, headers and metadata, passwords in URLs, and the values in the query of an MCP server's URL. Values of
 * fewer than eight characters and trace contexts are not among them.
 */
export function secretsIn(params: unknown): readonly string[] {
  const found = new Set<string>();
  const add = (value: string) => {
    if (value.length >= minSecretLength && !traceparent.test(value)) found.add(value);
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
      const member: unknown = value[name as keyof typeof value];
      // In a list of pairs, `name` is the name of the variable or header.
      if (isSecret && name === 'name' && !isList && (key === 'env' || key === 'headers')) continue;
      if (key === 'mcpServers' && name === 'url' && typeof member === 'string')
        queryValues(member).forEach(add);
      const place = name !== '_meta' && (isList || isSecret) ? key : name;
      collect(member, place, isSecret || secretKeys.has(name), depth + 1);
    }
  };
  collect(params, '', false);
  return [...found];
}

/** The secrets in the headers of an HTTP request: their values, and each cookie. */
export function secretsInHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  const cookies = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, value]) => value.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1)));
  return withEncoded(secretsIn({ headers: { ...headers, cookies } }));
}

/** The secrets in a URL that requests are sent to: the values of its query. */
export function secretsInUrl(url: string): readonly string[] {
  return withEncoded(queryValues(url).filter((value) => value.length >= minSecretLength));
}

/** A server that repeats a text in a URL writes some of its characters in another form. */
function withEncoded(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))];
}

/** The secrets that were sent to an agent, to find them in what it sends back. The oldest are forgotten first. */
export class SentSecrets {
  readonly #known = new KnownTexts();

  /** How many characters of a text before a place can belong to a secret that goes on there. 0 without secrets. */
  get reach(): number {
    return this.#known.longest;
  }

  add(secrets: readonly string[]): void {
    for (const secret of secrets) this.#known.add(secret);
  }

  /** The text without the secrets, without passwords in URLs, and without a secret that it was cut off in. */
  removeFromText(text: string): string {
    const safe = withoutUrlCredentials(text);
    // Before whole secrets are removed: one may be the beginning of the one that was cut off.
    const start = safe.endsWith('…')
      ? this.#known.startOfCut(safe, safe.length - 1, minTailLength)
      : undefined;
    return start === undefined ? this.#remove(safe) : `${this.#remove(safe.slice(0, start))}${placeholder}…`;
  }

  /**
   * The message without the secrets in its texts and keys. Returns the same message if it has none. Names and ids of
   * the protocol stay, so that a recording can be folded.
   */
  removeFromMessage(message: unknown): unknown {
    return this.reach === 0 ? message : mapTexts(message, (text) => this.#remove(text), isExtension(message));
  }

  /** The data without the secrets in its texts and keys, as {@link SentSecrets.removeFromText}. */
  removeFromData<T>(data: T): T {
    // Only texts are changed, and a text stays a text.
    return mapTexts(data, (text) => this.removeFromText(text), true) as T;
  }

  /**
   * Removes the secrets from an error of this library, which may repeat what the agent sent. Returns the same error.
   */
  removeFromError<T>(error: T): T {
    // The reason of a signal is the caller's, and may be any error.
    if (!AcpError.is(error)) return error;
    for (const name of Object.getOwnPropertyNames(error)) {
      const value: unknown = Reflect.get(error, name);
      if (name === 'cause') this.removeFromError(value);
      else if (name !== 'name' && name !== 'code') setProperty(error, name, this.removeFromData(value));
    }
    return error;
  }

  /** Finds a secret also if escape sequences or invisible characters are between its characters. */
  #remove(text: string): string {
    if (this.reach === 0) return text;
    const whole = this.#known.replace(text, placeholder);
    const shown = printable(whole);
    if (shown === whole) return whole;
    const safe = this.#known.replace(shown, placeholder);
    return safe === shown ? whole : safe;
  }
}

/** Nothing in a message outside the protocol is a name or an id of the protocol, but for its own method and id. */
function isExtension(message: unknown): boolean {
  const method = isJsonObject(message) ? message['method'] : undefined;
  return typeof method === 'string' && method.startsWith('_');
}

function setProperty(error: Error, name: string, value: unknown): void {
  if (Reflect.get(error, name) === value) return;
  // `stack` is an accessor in Node 22 and later.
  const { enumerable = false } = Object.getOwnPropertyDescriptor(error, name) ?? {};
  Object.defineProperty(error, name, { value, enumerable, writable: true, configurable: true });
}

/**
 * The JSON value with changed texts and keys. Returns the same value if none has changed.
 *
 * @param isFree - Whether the protocol does not define the content. Otherwise its names and ids stay.
 */
function mapTexts(value: unknown, change: (text: string) => string, isFree: boolean): unknown {
  if (typeof value === 'string') return change(value);
  return mapMembers(
    value,
    (member, key) =>
      !isFree && typeof member === 'string' && structuralKey.test(key)
        ? member
        : mapTexts(member, change, isFree || freeKeys.has(key)),
    (key) => (!isFree && fieldName.test(key) ? key : change(key)),
  );
}

/** The array or object with changed members and keys. Returns the same value if none has changed. */
export function mapMembers(
  value: unknown,
  change: (member: unknown, key: string) => unknown,
  changeKey: (key: string) => string = (key) => key,
): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => change(item, ''));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let hasChanged = false;
  const entries = Object.keys(value).map((key): [string, unknown] => {
    const changed = change(value[key], key);
    const name = changeKey(key);
    hasChanged ||= changed !== value[key] || name !== key;
    return [name, changed];
  });
  // Defines a key `__proto__` like any other.
  return hasChanged ? Object.fromEntries(entries) : value;
}
