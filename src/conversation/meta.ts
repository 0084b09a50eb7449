import { isJsonObject, type JsonObject } from '../json.ts';

/**
 * Applies a metadata patch. `undefined` keeps the metadata, `null` removes it, and an object replaces each of its
 * keys. A key with the value `null` is removed.
 *
 * @see https://agentclientprotocol.com/protocol/v2/extensibility
 */
export function patchMeta(current: JsonObject | null, patch: unknown): JsonObject | null {
  if (patch === null) return null;
  if (!isJsonObject(patch)) return current;
  // Object.fromEntries defines its keys, so that one named __proto__ stays data.
  return Object.fromEntries(Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null));
}
