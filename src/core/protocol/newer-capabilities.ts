import { InvalidParamsError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** What the client advertises that this library does not know: the members, and their dotted paths. */
export interface NewerCapabilities {
  readonly capabilities: JsonObject;
  readonly paths: readonly string[];
}

/**
 * Adds members to the capabilities that the client advertises.
 *
 * @param advertised - What is advertised without them.
 * @param known - Everything that this library can advertise.
 * @throws {@link InvalidParamsError} if a member is one that this library knows: it is advertised for what the client
 *   serves, and for nothing else.
 */
export function withNewer(advertised: JsonObject, known: JsonObject, members: JsonObject): NewerCapabilities {
  const paths: string[] = [];
  const add = (base: JsonObject, all: JsonObject, given: JsonObject, path: readonly string[]): JsonObject => {
    const merged = new Map<string, JsonValue>(Object.entries(base));
    for (const [key, value] of Object.entries(given)) {
      const at = [...path, key];
      const own = Object.hasOwn(all, key) ? all[key] : undefined;
      if (own === undefined) {
        paths.push(...leavesOf(value, at));
        merged.set(key, value);
        continue;
      }
      if (!isJsonObject(own) || !isJsonObject(value) || Object.keys(own).length === 0) throw refused(at);
      const below = Object.hasOwn(base, key) ? base[key] : undefined;
      merged.set(key, add(isJsonObject(below) ? below : {}, own, value, at));
    }
    // Unlike an assignment, this makes a key of its own for `__proto__` too.
    return Object.fromEntries(merged);
  };
  return { capabilities: add(advertised, known, members, []), paths };
}

function refused(path: readonly string[]): InvalidParamsError {
  const message = `connect: clientCapabilities.${path.join('.')} is a capability that this library knows. It is advertised when you pass ${sourceOf(path)}. Remove it. Nothing was sent.`;
  return new InvalidParamsError(message);
}

/** The dotted paths of what an agent can read: an object without members, or a value of another kind. */
function leavesOf(value: JsonValue, path: readonly string[]): readonly string[] {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  if (members.length === 0) return [path.join('.')];
  return members.flatMap(([key, member]) => leavesOf(member, [...path, key]));
}

/** The options of `connect` that advertise a capability, by its last name. */
const options: ReadonlyMap<string | undefined, string> = new Map([
  ['promptSuggestions', 'promptSuggestions'],
  ['cursors', 'cursors'],
  ['skill', 'skills'],
]);

/** What lets the client advertise a capability. */
function sourceOf(path: readonly string[]): string {
  const option = options.get(path.at(-1));
  return option ? `the option ${option}: true` : 'the handlers or the options for it';
}
