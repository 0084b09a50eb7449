/** Variables of an environment. `undefined`: there is none, or it is removed. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of a variable. `undefined` if there is none. Names of variables have no case on Windows. */
export function variableIn(
  env: Variables,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const caseOf = (text: string) => (platform === 'win32' ? text.toUpperCase() : text);
  return Object.entries(env).find(([other]) => caseOf(other) === caseOf(name))?.[1];
}

/**
 * `base` with `changes` applied. `undefined` removes a variable. On Windows `Path` and `PATH` are the same variable, so
 * a change replaces the name in any case.
 */
export function mergeEnvironment(
  base: Variables,
  changes: Variables,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const merged = new Map<string, string>();
  for (const [name, value] of [...Object.entries(base), ...Object.entries(changes)]) {
    if (platform === 'win32') {
      for (const other of merged.keys()) if (other.toUpperCase() === name.toUpperCase()) merged.delete(other);
    }
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}
