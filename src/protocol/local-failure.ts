import type { JsonValue } from '../base/json.ts';
import type { Failure } from './method.ts';
import type { ConvertPath } from './replace-paths.ts';

/**
 * Converts the paths in an error that a handler answers with: the texts of its data that are paths, and the same texts
 * in its message. An agent cannot use a path of the editor.
 */
export function localFailure({ message, data }: Failure, toAgent: ConvertPath): Failure {
  if (data === undefined) return { message, data };
  const replaced = new Map<string, string>();
  const local: JsonValue = JSON.parse(JSON.stringify(data), (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const converted = toAgent(value);
    if (converted !== value) replaced.set(value, converted);
    return converted;
  });
  return { message: replaceTexts(message, replaced), data: local };
}

/** Replaces texts in one pass, the longest first: a path can begin with another one. */
function replaceTexts(text: string, replacements: ReadonlyMap<string, string>): string {
  if (replacements.size === 0) return text;
  const longestFirst = [...replacements.keys()].sort((one, other) => other.length - one.length);
  const patterns = longestFirst.map((each) => each.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return text.replace(new RegExp(patterns.join('|'), 'g'), (found) => replacements.get(found) ?? found);
}
