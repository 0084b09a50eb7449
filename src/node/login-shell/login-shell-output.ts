import { isUtf8 } from 'node:buffer';
import { delimiter } from 'node:path';
import { markName } from '../process/process-table.ts';
import { markLines } from './login-shell-command.ts';

/** The variables of a shell, by name. */
export type ShellVariables = ReadonlyMap<string, string>;

/**
 * What the output of a shell has shown so far: nothing yet, the variables, two copies that differ, or more than a shell
 * prints.
 */
export type OutputState = ShellVariables | 'incomplete' | 'damaged' | 'too long';

/** How much the startup files may print, in bytes. */
export const maxNoiseBytes = 64 * 1024 * 1024;
/** The length of two copies of the variables, in bytes. Linux passes two megabytes to a program at most. */
const maxCopiesBytes = 8 * 1024 * 1024;

/**
 * Finds the variables in the output of a shell. What is printed before and after them is ignored.
 *
 * @returns A function that takes the next part of the output.
 */
export function outputReader(mark: string): (chunk: Buffer) => OutputState {
  const [first, second, last] = markLines(mark).map((line) => Buffer.from(line)) as [Buffer, Buffer, Buffer];
  let seenBytes = 0;
  /** The output from the first mark on, or the end of the output if the mark can be part of it. */
  let kept = Buffer.alloc(0);
  let hasFirst = false;

  return (chunk) => {
    const searchedBytes = Math.max(kept.length - last.length, 0);
    kept = Buffer.concat([kept, chunk]);
    if (!hasFirst) {
      seenBytes += chunk.length;
      const start = kept.indexOf(first);
      hasFirst = start !== -1;
      kept = kept.subarray(hasFirst ? start : Math.max(kept.length - first.length, 0));
      if (!hasFirst) return seenBytes > maxNoiseBytes ? 'too long' : 'incomplete';
    }
    const end = kept.indexOf(last, searchedBytes);
    if (end === -1) return kept.length > maxCopiesBytes ? 'too long' : 'incomplete';
    return variablesBetween(kept.subarray(0, end), first, second);
  };
}

function variablesBetween(output: Buffer, first: Buffer, second: Buffer): ShellVariables | 'damaged' {
  const middle = output.indexOf(second);
  if (middle === -1) return 'damaged';
  const copy = output.subarray(first.length, middle);
  if (!copy.equals(output.subarray(middle + second.length)) || copy.at(-1) !== 0) return 'damaged';
  return parseVariables(copy);
}

/** A name that each shell can use. Others, such as `BASH_FUNC_x%%`, are of use to one shell only. */
const usableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads variables that each end with a NUL character. */
function parseVariables(output: Buffer): ShellVariables {
  const variables = new Map<string, string>();
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    const record = output.subarray(start, end);
    start = end + 1;
    const equalsSign = record.indexOf('=');
    const name = record.toString('utf8', 0, equalsSign);
    // Node cannot pass on a value that is not UTF-8, and objects treat `__proto__` in their own way.
    if (!usableName.test(name) || name === '__proto__' || !isUtf8(record)) continue;
    variables.set(name, record.toString('utf8', equalsSign + 1));
  }
  return variables;
}

type Variables = Readonly<Record<string, string>>;

/**
 * What startup files read, so that they do less:
 * - `VSCODE_RESOLVING_ENVIRONMENT` is what VS Code sets for the same purpose. Users know it from there.
 *   https://code.visualstudio.com/docs/supporting/faq#_resolving-shell-environment-fails
 * - `DISABLE_AUTO_UPDATE`: Oh My Zsh does not ask whether to update itself.
 * - `ZSH_TMUX_AUTOSTARTED`: its plugin for tmux does not replace the shell by tmux.
 */
export const signs = {
  VSCODE_RESOLVING_ENVIRONMENT: '1',
  DISABLE_AUTO_UPDATE: 'true',
  ZSH_TMUX_AUTOSTARTED: 'true',
} as const;

/**
 * Variables that describe the run of the shell and not the user's configuration. `GPG_TTY` has the output of `tty`, which
 * is "not a tty" here.
 */
const describesTheRun = /^(?:_|COLUMNS|GPG_TTY|LINES|OLDPWD|PWD|SHLVL|TERM)$/;

function isOfTheUser(name: string): boolean {
  return !describesTheRun.test(name) && !Object.hasOwn(signs, name) && name !== markName;
}

/** The changes that lead from the environment `base` to the variables of a shell. */
export function changesOfShell(variables: ShellVariables, base: Variables): Record<string, string> {
  const changes = new Map(
    [...variables].filter(([name, value]) => isOfTheUser(name) && value !== base[name]),
  );
  const path = changes.get('PATH');
  if (path !== undefined) {
    const merged = mergedPath(path, base['PATH'] ?? '');
    if (merged === base['PATH']) changes.delete('PATH');
    else changes.set('PATH', merged);
  }
  return Object.fromEntries(changes);
}

/** The directories of both, each once. */
function mergedPath(first: string, second: string): string {
  const directories = [first, second].flatMap((path) => path.split(delimiter));
  // An empty entry means the working directory, where a cloned repository can have a program of any name.
  return [...new Set(directories)].filter((directory) => directory !== '').join(delimiter);
}
