import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** Replaces the spellings of earlier drafts in an object. Returns the same object if there are none. */
export type Upgrade = (object: JsonObject) => JsonObject;

/** Upgrades an update by its `sessionUpdate`. */
export function upgradeByTag(upgrades: Readonly<Record<string, Upgrade>>): Upgrade {
  return (update) => {
    const tag = String(update['sessionUpdate']);
    const upgrade = Object.hasOwn(upgrades, tag) ? upgrades[tag] : undefined;
    return upgrade ? upgrade(update) : update;
  };
}

/** Renames a key, unless the object already has the new one. */
export function renamed(from: string, to: string): Upgrade {
  return (object) => {
    if (to in object || !(from in object)) return object;
    const { [from]: value, ...rest } = object;
    return { ...rest, [to]: value as JsonValue };
  };
}

/** Upgrades the object at a key. */
export function at(key: string, upgrade: Upgrade): Upgrade {
  return (object) => {
    const value = object[key];
    return isJsonObject(value) ? { ...object, [key]: upgrade(value) } : object;
  };
}

/** Upgrades the objects in the list at a key. */
export function each(key: string, upgrade: Upgrade): Upgrade {
  return (object) => mapItems(object, key, (item) => (isJsonObject(item) ? upgrade(item) : item));
}

/** Changes the items of the list at a key, if there is one. */
export function mapItems(
  object: JsonObject,
  key: string,
  change: (item: JsonValue) => JsonValue,
): JsonObject {
  const items = object[key];
  if (!Array.isArray(items)) return object;
  // `Array.isArray` does not narrow to a readonly array.
  const list: readonly JsonValue[] = items;
  return { ...object, [key]: list.map((item) => change(item)) };
}
