import type { ChildProcess, SpawnOptions } from 'node:child_process';
import spawn from 'cross-spawn';
import type { ProcessExit } from '../../core/base/process-exit.ts';
import { findProgram, searchProgram, withoutWorkingDirectoryLookup } from './program-path.ts';

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

/** The result of a start: the exit of the program, or the reason why it did not start. */
export type Outcome = { readonly status: ProcessExit } | Failure;

/**
 * Starts a program. A name is looked up here, because the system also looks in relative directories of PATH.
 *
 * @returns `child` is absent if the start failed at once. `outcome` never rejects.
 */
export function startProgram(
  launch: Launch,
  options: Pick<SpawnOptions, 'stdio' | 'shell' | 'detached'>,
): { readonly child?: ChildProcess; readonly outcome: Promise<Outcome> } {
  const { cwd, env } = launch;
  const isWindows = process.platform === 'win32';
  const find = isWindows ? windowsProgram : posixProgram;
  try {
    const program: Program | Failure = options.shell === true ? launch : find(launch);
    if ('failure' in program) return { outcome: Promise.resolve(program) };
    const child = spawn(program.command, program.args, {
      ...options,
      ...(cwd !== undefined && { cwd }),
      env: isWindows ? withoutWorkingDirectoryLookup(env) : env,
      ...(program.argv0 !== undefined && { argv0: program.argv0 }),
      windowsHide: true,
      windowsVerbatimArguments: program.isQuoted ?? false,
    });
    return { child, outcome: outcomeOf(child) };
  } catch (error) {
    // Node throws some errors of the system and emits the others. All are of class Error.
    return { outcome: Promise.resolve({ failure: error as NodeJS.ErrnoException }) };
  }
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ status: { exitCode, signal } }));
    child.on('error', (failure: NodeJS.ErrnoException) => {
      // A signal that could not be sent is reported as 'error' too. The program runs on.
      if (failure.syscall?.startsWith('spawn')) resolve({ failure });
    });
  });
}

interface Program extends Pick<Launch, 'command' | 'args'> {
  /** The name by which the program was started. */
  readonly argv0?: string;
  /** Whether the arguments are quoted for Windows. */
  readonly isQuoted?: true;
}

/** What to run on other systems than Windows for a program. A path is relative to the working directory. */
function posixProgram({ command, args, env }: Launch): Program | Failure {
  if (command.includes('/')) return { command, args };
  const { program } = searchProgram(command, env);
  if (program === undefined) return { failure: spawnError(command, 'ENOENT') };
  return { command: program, args, argv0: command };
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

/** Whether Windows runs a file with `cmd.exe`. */
export function isBatchFile(file: string): boolean {
  return /\.(?:bat|cmd)$/i.test(file);
}

/**
 * The command that runs a batch file on Windows, such as the `npx.cmd` of npm. `cmd.exe` interprets the arguments
 * twice: in its own command line, and where the file contains `%*`. Both times they are quoted, so none of their
 * characters ends the command or starts another one.
 *
 * @returns `undefined` if an argument contains a line break or NUL, which `cmd.exe` cannot pass.
 * @see https://blog.rust-lang.org/2024/04/09/cve-2024-24576.html
 */
export function batchCommand(
  file: string,
  args: readonly string[],
  { SystemRoot = 'C:\\Windows' }: Readonly<Record<string, string | undefined>> = process.env,
): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (args.some((arg) => /[\r\n\0]/.test(arg))) return undefined;
  const line = [file.replaceAll('/', '\\'), ...args].map(quote).join(' ');
  // Extensions on, for the empty text of `quote`. Delayed expansion off: it would replace `!name!`. No AutoRun
  // commands.
  const switches = ['/e:ON', '/v:OFF', '/d', '/s', '/c'];
  // The full path, so that a cmd.exe in the working directory is not run instead.
  return { command: `${SystemRoot}\\System32\\cmd.exe`, args: [...switches, `"${line}"`] };
}

/** A text in quotes. `cmd.exe` and the program that reads the arguments take it as the same text. */
function quote(text: string): string {
  const quoted = text
    // A quote is doubled: for `cmd.exe` the second one begins the quoted part again. Backslashes before it are doubled.
    .replace(/(?<!\\)(\\*)"/g, '$1$1""')
    .replace(/(?<!\\)(\\+)$/, '$1$1')
    // `%name%` would be replaced also within quotes. `%cd:~,%` is an empty part of a variable.
    .replaceAll('%', '%%cd:~,%');
  return `"${quoted}"`;
}
