import { isJsonObject, type JsonObject, setOwn, someMember } from '../base/json.ts';
import { equal, freeze } from './equal.ts';

type Meta = JsonObject | null;

/** A version of metadata: its number, that of the version it was copied from, and the keys patched since. */
type Version = readonly [number: number, follows: number, keys: Set<string>];

const versions = new WeakMap<object, Version>();
let count = 0;

/**
 * The keys in which metadata can differ from an earlier version, or `undefined` if that is not known. A program follows
 * metadata that gets a key with each update: to look at all keys each time would be quadratic.
 */
export function patchedKeys(before: object, after: object): ReadonlySet<string> | undefined {
  const [, follows, keys] = versions.get(after) ?? [];
  return versions.get(before)?.[0] === follows ? keys : undefined;
}

/** Whether two versions of metadata are equal. */
export function equalMeta(before: Meta, after: Meta): boolean {
  const keys = before && after ? patchedKeys(before, after) : undefined;
  if (!before || !after || !keys) return equal(before, after);
  return [...keys].every(
    (key) => Object.hasOwn(before, key) === Object.hasOwn(after, key) && equal(before[key], after[key]),
  );
}

function nextVersion(before: object, after: object): void {
  const [follows] = versions.get(before) ?? [++count];
  if (!versions.has(before)) versions.set(before, [follows, 0, new Set()]);
  versions.set(after, [++count, follows, new Set()]);
}

/**
 * Applies a metadata patch. `undefined` keeps the metadata, `null` removes it, and an object replaces each of its
 * keys. A key with the value `null` is removed.
 *
 * @see https://agentclientprotocol.com/protocol/v2/extensibility
 */
export function patchMeta(current: Meta, patch: unknown): Meta {
  return patchInto(copyOf, current, patch);
}

/** The metadata of a draft. It is copied once between two snapshots: a copy for each patch would be quadratic. */
export class MetaDraft {
  /** The copies that no snapshot contains yet. */
  readonly #open = new Set<object>();
  readonly #openCopy = (current: Meta): JsonObject => {
    if (current !== null && this.isOpen(current)) return current;
    const copy = copyOf(current);
    if (current !== null) nextVersion(current, copy);
    this.#open.add(copy);
    return copy;
  };

  /** As {@link patchMeta}, but changes metadata that is open. */
  patch(current: Meta, patch: unknown): Meta {
    return patchInto(this.#openCopy, current, patch);
  }

  /** Whether the metadata can still be changed. */
  isOpen(meta: Meta): boolean {
    return meta !== null && this.#open.has(meta) && !Object.isFrozen(meta);
  }

  /** A snapshot contains all metadata from now on. The values are frozen already. */
  close(): void {
    for (const meta of this.#open) Object.freeze(meta);
    this.#open.clear();
  }
}

function copyOf(current: Meta): JsonObject {
  return { ...current };
}

function patchInto(writable: (current: Meta) => JsonObject, current: Meta, patch: unknown): Meta {
  if (patch === null) return null;
  if (!isJsonObject(patch)) return current;
  if (current !== null && !someMember(patch, (value, key) => changes(current, key, value))) return current;
  const meta = writable(current);
  const keys = versions.get(meta)?.[2];
  someMember(patch, (value, key) => {
    keys?.add(String(key));
    if (value === null) Reflect.deleteProperty(meta, key);
    else setOwn(meta, key, freeze(value));
    return false;
  });
  return meta;
}

function changes(meta: JsonObject, key: string | number, value: unknown): boolean {
  const isKnown = Object.hasOwn(meta, key);
  return value === null ? isKnown : !isKnown || !equal(meta[key], value);
}
