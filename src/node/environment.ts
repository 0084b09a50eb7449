/**
 * `base` with `changes` over it; `undefined` takes a variable away. Windows takes `Path` and `PATH` for the same
 * variable, so there a change replaces every spelling of its name.
 */
export function mergeEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  changes: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const merged = new Map<string, string>();
  const assign = (name: string, value: string | undefined) => {
    if (platform === 'win32') {
      for (const other of merged.keys()) if (other.toUpperCase() === name.toUpperCase()) merged.delete(other);
    }
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  };
  for (const [name, value] of Object.entries(base)) assign(name, value);
  for (const [name, value] of Object.entries(changes)) assign(name, value);
  return Object.fromEntries(merged);
}
