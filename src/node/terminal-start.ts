import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';
import { mergeEnvironment } from './environment.ts';
import type { Launch } from './process-tree.ts';

/** What the agent asks for with `terminal/create`. */
export interface CreateTerminalRequest {
  readonly command: string;
  readonly args?: readonly string[] | null | undefined;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly outputByteLimit?: number | null | undefined;
}

/** How the command of `request` is started. Throws `RequestError` for a request that makes no sense. */
export async function startOf(
  request: CreateTerminalRequest,
  defaultCwd: string | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly launch: Launch; readonly shell: boolean }> {
  assertSensible(request);
  const { command } = request;
  const args = [...(request.args ?? [])];
  const cwd = request.cwd ?? defaultCwd;
  const variables = (request.env ?? []).map(({ name, value }) => [name, value] as const);
  const env = mergeEnvironment(environment, Object.fromEntries(variables));
  const shell = isCommandLine(command, args) && !(await isFile(resolve(cwd ?? process.cwd(), command)));
  return { launch: { command, args, cwd, env }, shell };
}

function assertSensible({ command, cwd, outputByteLimit }: CreateTerminalRequest): void {
  const refuse = (message: string) => new RequestError(rpcCodes.invalidParams, message);
  if (command.trim() === '') throw refuse('command is empty. Name the program to run.');
  if (cwd != null && !isAbsolute(cwd))
    throw refuse(`cwd is "${cwd}", which is relative. Pass an absolute path.`);
  if (outputByteLimit == null || (Number.isSafeInteger(outputByteLimit) && outputByteLimit >= 0)) return;
  throw refuse(`outputByteLimit is ${outputByteLimit}. Pass a whole number of bytes.`);
}

/** What only a shell makes sense of. A backslash is part of every path on Windows. */
const shellSyntax = { posix: /[\s|&;<>()$`"'\\*?[\]{}~#!]/, windows: /[\s|&<>()^%"]/ } as const;

/**
 * Whether a command without arguments is a whole line for a shell. The protocol has a program and its arguments, yet
 * agents in the field send `npm test | tail -5` in `command`, with no arguments.
 */
export function isCommandLine(
  command: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): boolean {
  return args.length === 0 && shellSyntax[platform === 'win32' ? 'windows' : 'posix'].test(command);
}

/** Whether a program of this name lies there, spaces and all. */
async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
