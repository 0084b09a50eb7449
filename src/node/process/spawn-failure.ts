import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { codeOf } from '../../core/base/diagnostic.ts';
import { foldersOfPath, isFile } from './program-path.ts';
import type { Launch } from './start-program.ts';

/** Why a start failed, as a part of a sentence, and what to do, as a sentence. */
export interface SpawnFailure {
  readonly reason: string;
  readonly remedy: string;
}

const because = (reason: string, remedy: string): SpawnFailure => ({ reason, remedy });

/**
 * The message for a start that failed: the reason, and what to do. The code of the system is not enough: ENOENT can
 * mean that the command, its interpreter or the working directory is missing.
 *
 * The message contains no values of the environment, because they often contain keys.
 */
export async function explainSpawnFailure(failure: NodeJS.ErrnoException, launch: Launch): Promise<string> {
  const { reason, remedy } = await spawnFailure(failure, launch);
  return `Could not start "${launch.command}": ${reason}. ${remedy}`.trimEnd();
}

/** The two parts of {@link explainSpawnFailure}. `remedy` is empty if nothing is known. */
export async function spawnFailure(failure: NodeJS.ErrnoException, launch: Launch): Promise<SpawnFailure> {
  const cwdProblem = launch.cwd === undefined ? undefined : await explainDirectory(launch.cwd);
  if (cwdProblem !== undefined) return cwdProblem;
  const code = failure.code ?? 'an unknown error';
  const explain = explanations[code];
  if (explain) return explain(launch);
  return because(`the system answered ${code}${hints[code] ?? ''}`, '');
}

async function explainDirectory(cwd: string): Promise<SpawnFailure | undefined> {
  try {
    if (!(await stat(cwd)).isDirectory()) {
      return because(`the working directory ${cwd} is not a directory`, 'Pass a directory as cwd.');
    }
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) === 'EACCES'
      ? because(`the working directory ${cwd} cannot be entered`, 'Give access to it, or pass another cwd.')
      : because(`the working directory ${cwd} does not exist`, 'Create it, or pass another cwd.');
  }
}

const explanations: Readonly<Record<string, (launch: Launch) => Promise<SpawnFailure>>> = {
  async ENOENT(launch) {
    const path = pathOf(launch);
    const hint = shellSyntaxHint(launch.command);
    if (path === undefined) return hint ? because('the program was not found', hint) : notInPath(launch);
    const found = await foundAt(path);
    if (found === 'folder') return folderInstead(path);
    if (found === 'ENOENT') {
      return because(`there is no file ${path}`, hint ?? 'Correct the command, or install the program.');
    }
    const interpreter = await interpreterOf(path);
    return interpreter === undefined
      ? because(
          `${path} exists, but a file that it needs to run does not`,
          'Install a build for this system.',
        )
      : because(
          `${path} exists, but the interpreter in its first line, ${JSON.stringify(interpreter)}, does not`,
          'Install it, or correct the line.',
        );
  },
  async EACCES(launch) {
    const path = pathOf(launch);
    if (path === undefined) {
      return because('it was found in PATH, but is not executable', 'Make it executable (chmod +x).');
    }
    if ((await foundAt(path)) === 'folder') return folderInstead(path);
    return because(
      `${path} is not executable`,
      'Make it executable (chmod +x), and check the access to its directories.',
    );
  },
  // Only for a batch file on Windows: Node refuses NUL itself.
  EINVAL: async () =>
    because(
      'an argument contains a line break, which Windows cannot pass to a .cmd or .bat file',
      'Remove it, or give the program that the file starts.',
    ),
  ENOTDIR: async (launch) =>
    because(
      `a part of ${pathOf(launch) ?? launch.command} is a file, not a directory`,
      'Correct the command.',
    ),
};

const hints: Readonly<Record<string, string>> = {
  E2BIG: ', because the arguments and the environment are too long: make them shorter',
  EAGAIN: ', because there are too many processes: end some, or raise the limit',
  ENAMETOOLONG: ', because the arguments are too long: make them shorter',
  EMFILE: ', because too many files are open: close some, or raise the limit',
  ENFILE: ', because the system has too many files open',
  ENOMEM: ', because there is too little memory',
  EPERM: ', because it is not permitted',
};

/** The file that a command names, or `undefined` if the command is a name that is looked up in PATH. */
function pathOf({ command, cwd }: Launch): string | undefined {
  const isPath = command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
  if (!isPath && !isAbsolute(command)) return undefined;
  return resolve(cwd ?? process.cwd(), command);
}

/** What to do about a command that contains shell syntax. */
function shellSyntaxHint(command: string): string | undefined {
  const because = 'The command is not run by a shell, so';
  if (/^["']/.test(command)) return `${because} its quotes are part of the name: leave them out.`;
  if (command.startsWith('~')) return `${because} "~" is not replaced: give the full path.`;
  const [program = '', ...args] = command.trim().split(/\s+/);
  if (program === command) return undefined;
  return `${because} its spaces are part of the name: if it is a program with arguments, pass command ${JSON.stringify(program)} and args ${JSON.stringify(args)}.`;
}

function notInPath({ command, cwd, env }: Launch): SpawnFailure {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
  if (!path) return because('its environment has no PATH', 'Pass PATH in env, or give the full path.');
  const relative = path
    .split(delimiter)
    .find((folder) => !isAbsolute(folder) && isFile(resolve(cwd ?? '', folder, command)));
  if (relative !== undefined) {
    return because(
      `it is only in ${JSON.stringify(relative)} of PATH, which is not searched because it is not absolute`,
      'Give its full path if you trust it.',
    );
  }
  const count = foldersOfPath(env).length;
  return because(
    `it is ${count === 1 ? 'not in the one directory' : `in none of the ${count} directories`} of PATH`,
    'Install it, or give its full path; a program started from a desktop often has a shorter PATH than a terminal.',
  );
}

async function interpreterOf(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const [firstLine = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
    return firstLine.startsWith('#!') ? firstLine.slice(2).trimStart().split(/[ \t]/)[0] : undefined;
  } finally {
    await file.close();
  }
}

/** What is at a path, or the code of the error. */
function foundAt(path: string): Promise<string | undefined> {
  return stat(path).then((found) => (found.isDirectory() ? 'folder' : 'file'), codeOf);
}

function folderInstead(path: string): SpawnFailure {
  return because(`${path} is a directory`, 'Give the program inside it.');
}
