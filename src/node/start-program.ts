import type { ChildProcess, SpawnOptions } from 'node:child_process';
import spawn from 'cross-spawn';
import { findProgram, withoutWorkingDirectoryLookup } from './program-path.ts';

/** Which program to start, and how. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that was started, or the reason why the start failed at once. */
export type Started = { readonly child: ChildProcess } | { readonly failure: NodeJS.ErrnoException };

/** Starts a program. A failure can also follow as an `error` event of the child. */
export function startProgram(
  { command, args, cwd, env }: Launch,
  options: Pick<SpawnOptions, 'stdio' | 'shell' | 'detached'>,
): Started {
  const isWindows = process.platform === 'win32';
  const file = isWindows && options.shell !== true ? findProgram(command, env) : command;
  if (file === undefined) return { failure: notFound(command) };
  try {
    const child = spawn(file, args, {
      ...options,
      ...(cwd !== undefined && { cwd }),
      env: isWindows ? withoutWorkingDirectoryLookup(env) : env,
      windowsHide: true,
    });
    return { child };
  } catch (error) {
    // Node throws some errors of the system and emits the others. All are of class Error.
    return { failure: error as NodeJS.ErrnoException };
  }
}

/** The error of Node for a program that does not exist. */
function notFound(command: string): NodeJS.ErrnoException {
  const syscall = `spawn ${command}`;
  return Object.assign(new Error(`${syscall} ENOENT`), { code: 'ENOENT', syscall });
}
