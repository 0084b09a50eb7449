import { delimiter } from 'node:path';
import { markName } from '../process/process-mark.ts';
import type { ShellVariables } from './login-shell-output.ts';

type Variables = Readonly<Record<string, string>>;

/**
 * What startup files read, so that they do less:
 * - `VSCODE_RESOLVING_ENVIRONMENT` is what VS Code sets for the same purpose. Users know it from there.
 *   https://code.visualstudio.com/docs/supporting/faq#_resolving-shell-environment-fails
 * - `DISABLE_AUTO_UPDATE`: Oh My Zsh does not ask whether to update itself.
 * - `ZSH_TMUX_AUTOSTARTED`: its plugin for tmux does not replace the shell by tmux.
 */
const signs = {
  VSCODE_RESOLVING_ENVIRONMENT: '1',
  DISABLE_AUTO_UPDATE: 'true',
  ZSH_TMUX_AUTOSTARTED: 'true',
} as const;

/** Variables that describe the run of the shell and not the user's configuration. */
const describesTheRun = new Set<string>([
  '_',
  'COLUMNS',
  // The output of `tty`, which is "not a tty" here.
  'GPG_TTY',
  'LINES',
  'OLDPWD',
  'PWD',
  'SHLVL',
  'TERM',
]);

function isOfTheUser(name: string): boolean {
  return !describesTheRun.has(name) && !Object.hasOwn(signs, name) && name !== markName;
}

/** The environment in which the shell runs. */
export function shellEnvironment(shell: string, base: Variables): Variables {
  return { ...base, SHELL: shell, ...signs };
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
