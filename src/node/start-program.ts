import type { ChildProcess, SpawnOptions } from 'node:child_process';
import spawn from 'cross-spawn';
import { batchCommand, isBatchFile } from './batch-file.ts';
import { findProgram, withoutWorkingDirectoryLookup } from './program-path.ts';

/** Which program to start, and how. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
}

interface Failure {
  readonly failure: NodeJS.ErrnoException;
}

/** A program that was started, or the reason why the start failed at once. */
export type Started = { readonly child: ChildProcess } | Failure;

/** Starts a program. A failure can also follow as an `error` event of the child. */
export function startProgram(
  launch: Launch,
  options: Pick<SpawnOptions, 'stdio' | 'shell' | 'detached'>,
): Started {
  const { cwd, env } = launch;
  const isWindows = process.platform === 'win32';
  const program: Program | Failure = isWindows && options.shell !== true ? windowsProgram(launch) : launch;
  if ('failure' in program) return program;
  try {
    const child = spawn(program.command, program.args, {
      ...options,
      ...(cwd !== undefined && { cwd }),
      env: isWindows ? withoutWorkingDirectoryLookup(env) : env,
      windowsHide: true,
      windowsVerbatimArguments: program.isQuoted ?? false,
    });
    return { child };
  } catch (error) {
    // Node throws some errors of the system and emits the others. All are of class Error.
    return { failure: error as NodeJS.ErrnoException };
  }
}

interface Program extends Pick<Launch, 'command' | 'args'> {
  /** Whether the arguments are quoted for Windows. */
  readonly isQuoted?: true;
}

/** What to run on Windows for a program: its file, or the shell for a batch file. */
function windowsProgram({ command, args, cwd, env }: Launch): Program | Failure {
  const file = findProgram(command, env, cwd ?? process.cwd());
  if (file === undefined) return { failure: spawnError(command, 'ENOENT') };
  if (!isBatchFile(file)) return { command: file, args };
  const batch = batchCommand(file, args);
  return batch ? { ...batch, isQuoted: true } : { failure: spawnError(command, 'EINVAL') };
}

/** An error like those of Node. */
function spawnError(command: string, code: string): NodeJS.ErrnoException {
  const syscall = `spawn ${command}`;
  return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}
