import { isJsonObject } from '../base/json.ts';
import {
  mapMembers,
  placeholder,
  secretKeys,
  withoutQueryValues,
  withoutUrlCredentials,
} from '../base/secrets.ts';

/** What to redact in addition to the fields in which the protocol carries secrets. */
export interface RedactOptions {
  /**
   * Names of further fields to redact at any depth, regardless of case. Updates are redacted too, so the conversation
   * that is folded from the recording differs in these fields. Default: none.
   */
  readonly fields?: readonly string[] | undefined;
}

/**
 * Returns a message without the secrets that the protocol carries: the values in `env`, `headers` and `_meta` at every
 * depth, user names and passwords in URLs, and the values in the query of an MCP server's URL. Names remain, as do the
 * values `true`, `false` and `null`. What an agent reports in updates and tool calls is the transcript and remains. A
 * message without secrets is returned unchanged.
 *
 * Secrets can also occur in other places, such as the arguments of a command or the text of a message. Review a
 * recording before you publish it.
 *
 * @example
 * ```ts
 * const trace = { write, redact: (message: unknown) => redact(message, { fields: ['accountId'] }) };
 * ```
 */
export function redact(message: unknown, { fields = [] }: RedactOptions = {}): unknown {
  const redacted = redactMessage(message);
  return fields.length === 0 ? redacted : withoutFields(redacted, new Set(fields.map(lowerCase)));
}

/** The parameters that are part of the transcript. A recording must fold to the same one. */
const transcriptKeys: Readonly<Record<string, readonly string[]>> = {
  'session/update': ['update'],
  'session/request_permission': ['toolCall', 'subject'],
};

function redactMessage(message: unknown): unknown {
  if (Array.isArray(message)) return mapMembers(message, redactMessage);
  if (!isJsonObject(message)) return message;
  const { method } = message;
  const kept =
    typeof method === 'string' && Object.hasOwn(transcriptKeys, method) ? transcriptKeys[method] : [];
  return mapMembers(message, (part, name) =>
    name === 'params'
      ? mapMembers(part, (value, key) => (kept?.includes(key) ? value : withoutSecrets(value, key)))
      : withoutSecrets(part, name),
  );
}

function withoutSecrets(value: unknown, key: string): unknown {
  if (key === 'mcpServers') return mapMembers(value, withoutServerSecrets);
  if (secretKeys.has(key)) return hidden(value, key === '_meta');
  if (typeof value === 'string') return withoutUrlCredentials(value);
  return mapMembers(value, withoutSecrets);
}

function withoutServerSecrets(server: unknown): unknown {
  if (!isJsonObject(server)) return withoutSecrets(server, '');
  return mapMembers(server, (value, key) => {
    const safe = withoutSecrets(value, key);
    return key === 'url' && typeof safe === 'string' ? withoutQueryValues(safe) : safe;
  });
}

/** The names of the values, which are in a list of pairs or are the keys of an object. */
function hidden(value: unknown, isMeta: boolean): unknown {
  if (typeof value === 'string' || typeof value === 'number') return placeholder;
  return mapMembers(value, (held, key) =>
    key === 'name' && !isMeta && typeof held === 'string' ? held : hidden(held, isMeta || key === '_meta'),
  );
}

function withoutFields(value: unknown, fields: ReadonlySet<string>): unknown {
  return mapMembers(value, (held, name) =>
    fields.has(lowerCase(name)) && held !== null ? placeholder : withoutFields(held, fields),
  );
}

function lowerCase(name: string): string {
  return name.toLowerCase();
}
