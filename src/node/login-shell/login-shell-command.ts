import { userInfo } from 'node:os';
import { basename, isAbsolute } from 'node:path';

/** The user's login shell: the first absolute path of `SHELL`, the shell of the user's account, and `/bin/sh`. */
export function loginShell(env: Readonly<Record<string, string | undefined>>): string {
  // A relative path would name a program in the working directory, which can be a cloned repository.
  return [env['SHELL'], accountShell()].find((shell) => shell && isAbsolute(shell)) ?? '/bin/sh';
}

function accountShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined;
  } catch {
    // The user has no account, as in some containers.
    return undefined;
  }
}

/** The arguments before a command line, for an interactive login shell. */
const usualArgs = ['-i', '-l', '-c'];

/** Shells that take other arguments. */
const otherArgs: ReadonlyMap<string, readonly string[]> = new Map([
  // `-l` must be the only argument. Without it, .login is not read.
  ['csh', ['-i', '-c']],
  ['tcsh', ['-i', '-c']],
  ['pwsh', ['-Login', '-Command']],
  ['pwsh-preview', ['-Login', '-Command']],
]);

/** The arguments with which a shell reads its startup files and then prints its variables. */
export function shellArguments(shell: string, mark: string): readonly string[] {
  return [...(otherArgs.get(basename(shell)) ?? usualArgs), `/bin/sh -c '${printScript(mark)}'`];
}

/**
 * Programs that print the environment, with a NUL character after each variable. The first one that succeeds is used:
 * the `env` of macOS 12 and earlier has no `-0`.
 */
export const printers: readonly string[] = [
  '/usr/bin/env -0',
  '/usr/bin/perl -e "@e = %ENV; print shift(@e) . chr(61) . shift(@e) . chr(0) while @e"',
];

/** The lines before, between and after the two copies of the variables. */
export function markLines(mark: string): readonly [first: string, second: string, last: string] {
  return [`${mark}-1\n`, `${mark}-2\n`, `${mark}-3\n`];
}

/**
 * Prints the variables twice, so that a difference shows what another process wrote between them. Then it waits: the
 * shell is ended while it runs, because what it started is found through it.
 *
 * It is an argument of `/bin/sh` in the language of any shell. So it contains no line break, and none of the characters
 * `'`, `$`, `!` and `\`, which shells replace differently.
 */
function printScript(mark: string): string {
  const print = printers.join(' || ');
  const [first, second, last] = markLines(mark).map((line) => `echo ${line.trim()}`);
  // Without stderr: a traced command line must not appear in the output.
  return ['exec 2>/dev/null', first, print, second, print, last, 'exec /usr/bin/env sleep 60'].join('; ');
}
