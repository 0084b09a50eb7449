import { isJsonObject } from '../../../core/base/json.ts';
import type { TimelineFile } from './items.ts';

/**
 * The timelines of the steps of one agent. Each step repeats what the agent says at its start. gzip finds only what is within
 * 32 KiB, so a long value that repeats is in `shared`, and `{ $shared: 3 }` is in its place.
 */
export interface StepsFile {
  readonly shared: readonly unknown[];
  readonly steps: Readonly<Record<string, unknown>>;
}

/** A value that is shorter as JSON, in characters, stays in its place. */
const minLength = 300;

export function stepsFile(steps: Readonly<Record<string, TimelineFile>>): StepsFile {
  const counts = new Map<string, number>();
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const text = JSON.stringify(value);
    if (text.length < minLength) return;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    for (const part of Object.values(value)) count(part);
  };
  const places = new Map<string, number>();
  const written = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const text = JSON.stringify(value);
    if ((counts.get(text) ?? 0) < 2) {
      if (Array.isArray(value)) return value.map(written);
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, written(part)]));
    }
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return { $shared: place };
  };
  count(steps);
  const all = Object.entries(steps).map(([name, step]) => [name, written(step)]);
  return { shared: [...places.keys()].map((text) => JSON.parse(text)), steps: Object.fromEntries(all) };
}

/** The timeline of a step. `undefined` if the file has no such step. */
export function stepOf(file: unknown, step: string): unknown {
  if (!isJsonObject(file) || !isJsonObject(file['steps']) || !Object.hasOwn(file['steps'], step))
    return undefined;
  const shared: readonly unknown[] = Array.isArray(file['shared']) ? file['shared'] : [];
  return JSON.parse(JSON.stringify(file['steps'][step]), (_, value: unknown) =>
    isJsonObject(value) && typeof value['$shared'] === 'number' ? shared[value['$shared']] : value,
  );
}
