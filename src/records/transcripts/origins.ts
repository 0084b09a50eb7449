import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/**
 * Where the entries of a record were first written, by their keys: in each record that had them, a writer and a key. An
 * entry that is not in it was first written in the record itself.
 */
export type Origins = ReadonlyMap<string, readonly string[]>;

export function originOf(writer: string, key: string): string {
  return `${writer} ${key}`;
}

/**
 * The origins as JSON, without those of entries that the record itself wrote first. The keys are listed by their writers: a
 * key that is another one in the record is a pair.
 */
export function originsJson(writer: string, { entries }: Conversation, origins: Origins): JsonObject {
  const byWriter = new Map<string, (string | string[])[]>();
  for (const { key } of entries) {
    const all = origins.get(key) ?? [];
    if (all.length === 1 && all[0] === originOf(writer, key)) continue;
    for (const origin of all) {
      const end = origin.indexOf(' ');
      const first = origin.slice(end + 1);
      const keys = byWriter.get(origin.slice(0, end)) ?? [];
      byWriter.set(origin.slice(0, end), keys);
      keys.push(first === key ? key : [key, first]);
    }
  }
  return Object.fromEntries(byWriter);
}

/** Reads what {@link originsJson} has made. What is damaged is left out. */
export function readOrigins(value: unknown): Origins {
  const origins = new Map<string, string[]>();
  for (const [writer, keys] of Object.entries(isJsonObject(value) ? value : {})) {
    for (const pair of Array.isArray(keys) ? keys : []) {
      const [key, first] = Array.isArray(pair) ? pair : [pair, pair];
      if (typeof key !== 'string' || typeof first !== 'string') continue;
      const known = origins.get(key);
      if (known) known.push(originOf(writer, first));
      else origins.set(key, [originOf(writer, first)]);
    }
  }
  return origins;
}

/** How many entries each record had, by its writer. */
export type Counts = ReadonlyMap<string, number>;

export function readCounts(value: unknown): Counts {
  const pairs = Object.entries(isJsonObject(value) ? value : {});
  return new Map(pairs.filter((pair): pair is [string, number] => typeof pair[1] === 'number'));
}
