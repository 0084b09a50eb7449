import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** What else is to be hidden, beside what the protocol keeps secrets in. */
export interface RedactOptions {
  /**
   * Names of fields of your own whose values go as well, whatever they hold, in upper or lower case, wherever they
   * stand: in updates too, so that what is folded from such a recording differs by them. Default: none.
   */
  readonly fields?: readonly string[];
}

const secretFields: readonly string[] = ['env', 'headers'];
const placeholder = '[redacted]';

/**
 * A message without the secrets that a client passes on: the values of `env` and `headers` of its MCP servers, of
 * the terminals it opens, of the ways to log in and of the providers it sets, and the metadata of each call, in which
 * agents take keys. The names stay. What has none is given back as it is.
 *
 * Keys may stand elsewhere too, as in the arguments of a command or in what was said: a recording is never safe to
 * publish unread.
 *
 * @example
 * ```ts
 * const trace = { write, redact: (message: unknown) => redact(message, { fields: ['accountId'] }) };
 * ```
 */
export function redact(message: unknown, { fields = [] }: RedactOptions = {}): unknown {
  const redacted = redactKnown(message);
  return fields.length === 0 ? redacted : withoutFields(redacted, new Set(fields.map(lowerCase)));
}

function redactKnown(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(redactKnown);
  if (!isJsonObject(message)) return message;
  const { method, params, result } = message;
  // What an agent reports is the transcript, and must fold to the same one.
  if (method === 'session/update') return message;
  if (isJsonObject(params)) {
    return {
      ...message,
      params: withItems(withoutSecrets(params, [...secretFields, '_meta']), 'mcpServers'),
    };
  }
  if (!isJsonObject(result) || !Array.isArray(result['authMethods'])) return message;
  return { ...message, result: withItems(result, 'authMethods') };
}

/** The object with the secrets of the items in one of its lists hidden. */
function withItems(object: JsonObject, key: string): JsonObject {
  const items = object[key];
  if (!Array.isArray(items)) return object;
  const hidden = items.map((item: JsonValue) =>
    isJsonObject(item) ? withoutSecrets(item, secretFields) : item,
  );
  return { ...object, [key]: hidden };
}

function withoutSecrets(object: JsonObject, secrets: readonly string[]): JsonObject {
  const found = secrets.filter((field) => object[field] != null);
  return { ...object, ...Object.fromEntries(found.map((field) => [field, hidden(object[field])])) };
}

/** The names alone, whether they stand in a list or are the keys of an object. */
function hidden(values: JsonValue | undefined): JsonValue {
  if (Array.isArray(values)) {
    return values.map((each: JsonValue) =>
      isJsonObject(each) ? { ...each, value: placeholder } : placeholder,
    );
  }
  if (!isJsonObject(values)) return placeholder;
  return Object.fromEntries(Object.keys(values).map((name) => [name, placeholder]));
}

function withoutFields(value: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, fields));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, held]) => [
    name,
    fields.has(lowerCase(name)) && held !== null ? placeholder : withoutFields(held, fields),
  ]);
  return Object.fromEntries(entries);
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}
