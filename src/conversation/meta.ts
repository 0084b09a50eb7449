import { isJsonObject, type JsonObject } from '../json.ts';

/**
 * Applies a metadata patch: absent keeps, `null` clears, an object replaces key by key, where a key of `null` goes.
 *
 * @see https://agentclientprotocol.com/protocol/v2/extensibility
 */
export function patchMeta(current: JsonObject | null, patch: unknown): JsonObject | null {
  if (patch === null) return null;
  if (!isJsonObject(patch)) return current;
  // Object.fromEntries defines its keys, so that one named __proto__ stays data.
  const merged = Object.fromEntries(
    Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null),
  );
  return merged;
}
