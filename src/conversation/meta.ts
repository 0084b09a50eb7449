import { isJsonObject, type JsonObject, someMember } from '../json.ts';
import { equal } from './equal.ts';

type Meta = JsonObject | null;

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

  /** A snapshot contains all metadata from now on. */
  close(): void {
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
  someMember(patch, (value, key) => {
    if (value === null) Reflect.deleteProperty(meta, key);
    // An agent can use `__proto__` as a key.
    else Object.defineProperty(meta, key, { value, writable: true, enumerable: true, configurable: true });
    return false;
  });
  return meta;
}

function changes(meta: JsonObject, key: string | number, value: unknown): boolean {
  const isKnown = Object.hasOwn(meta, key);
  return value === null ? isKnown : !isKnown || !equal(meta[key], value);
}
