import { isAbsolute, resolve } from 'node:path';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import { mergeEnvironment } from '../environment/merge.ts';
import { isFile } from '../process/program-path.ts';
import type { Launch } from '../process/start-program.ts';

/** A command that {@link NodeTerminals.create} starts: the parameters of `terminal/create`. */
export interface TerminalCommand {
  readonly command: string;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null | undefined;
  /** Absolute. */
  readonly cwd?: string | null | undefined;
  readonly outputByteLimit?: number | null | undefined;
}

/** Returns how to start the command of `request`. Throws a `RequestError` if a parameter is wrong. */
export async function startOf(
  request: TerminalCommand,
  defaultCwd: string | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly launch: Launch; readonly shell: boolean }> {
  assertValid(request);
  const { command } = request;
  const args = [...(request.args ?? [])];
  const cwd = request.cwd ?? defaultCwd;
  const variables = (request.env ?? []).map(({ name, value }) => [name, value] as const);
  const env = mergeEnvironment(environment, Object.fromEntries(variables));
  // The name of a program can contain spaces or other shell syntax.
  const shell = isCommandLine(command, args) && !isFile(resolve(cwd ?? process.cwd(), command));
  return { launch: { command, args, cwd, env }, shell };
}

function assertValid({ command, cwd, outputByteLimit }: TerminalCommand): void {
  const refuse = (message: string) => new RequestError(rpcCodes.invalidParams, message);
  if (command.trim() === '') throw refuse('command is empty. Name the program to run.');
  if (cwd != null && !isAbsolute(cwd))
    throw refuse(`cwd must be an absolute path; got ${JSON.stringify(cwd)}.`);
  if (outputByteLimit == null || (Number.isSafeInteger(outputByteLimit) && outputByteLimit >= 0)) return;
  throw refuse(`outputByteLimit must be a whole number of bytes; got ${outputByteLimit}.`);
}

/** Characters that only a shell interprets. On Windows, paths contain backslashes. */
const shellSyntax = { posix: /[\s|&;<>()$`"'\\*?[\]{}~#!]/, windows: /[\s|&<>()^%"]/ } as const;

/**
 * Whether a command without arguments is a command line for a shell. The protocol defines a program and its arguments,
 * but some agents send `npm test | tail -5` as `command` without arguments.
 */
export function isCommandLine(
  command: string,
  args: readonly string[],
  platform = process.platform,
): boolean {
  return args.length === 0 && shellSyntax[platform === 'win32' ? 'windows' : 'posix'].test(command);
}
