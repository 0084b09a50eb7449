import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';
import type { Launch } from './process-tree.ts';

/**
 * Why a start failed and what to do about it. The system's code alone misleads: ENOENT is said of the command,
 * whichever of the command, its interpreter and the working directory is missing.
 *
 * No value of the environment is repeated: they hold keys.
 */
export async function explainSpawnFailure(failure: NodeJS.ErrnoException, launch: Launch): Promise<string> {
  const { command, cwd } = launch;
  const aboutFolder = cwd === undefined ? undefined : await explainFolder(cwd);
  if (aboutFolder !== undefined) return `Could not start "${command}": ${aboutFolder}`;
  const code = failure.code ?? 'an unknown error';
  const explain = explanations[code];
  const reason = explain ? await explain(launch) : `the system answered ${code}${hints[code] ?? ''}.`;
  return `Could not start "${command}": ${reason}`;
}

async function explainFolder(cwd: string): Promise<string | undefined> {
  try {
    if (!(await stat(cwd)).isDirectory())
      return `the working directory ${cwd} is not a folder. Pass a folder as cwd.`;
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) === 'EACCES'
      ? `the working directory ${cwd} may not be entered. Give access to it, or pass another cwd.`
      : `the working directory ${cwd} does not exist. Create it, or pass another cwd.`;
  }
}

const explanations: Readonly<Record<string, (launch: Launch) => Promise<string>>> = {
  async ENOENT(launch) {
    const path = pathOf(launch);
    const hint = unreadByShell(launch.command);
    if (path === undefined) return hint ? `there is no such program. ${hint}` : notInPath(launch);
    if (!(await exists(path)))
      return `there is no file ${path}. ${hint ?? 'Correct the command, or install the program.'}`;
    const interpreter = await interpreterOf(path);
    return interpreter === undefined
      ? `${path} exists, but what it needs to run does not. Install a build that is made for this system.`
      : `${path} exists, but the interpreter in its first line, ${JSON.stringify(interpreter)}, does not. Install it, or correct the line.`;
  },
  async EACCES(launch) {
    const path = pathOf(launch);
    if (path === undefined)
      return 'it was found in PATH, but may not be executed. Make it executable (chmod +x).';
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    return isFolder
      ? `${path} is a folder. Give the program inside it.`
      : `${path} may not be executed. Make it executable (chmod +x), and check the access to its folders.`;
  },
  ENOTDIR: async (launch) =>
    `a part of ${pathOf(launch) ?? launch.command} is a file, not a folder. Correct the command.`,
};

const hints: Readonly<Record<string, string>> = {
  E2BIG: ', as arguments and environment are too long together: pass less of them',
  EAGAIN: ', as there are too many processes: end some, or raise the limit',
  EMFILE: ', as too many files are open: close some, or raise the limit',
  ENFILE: ', as the system has too many files open',
  ENOMEM: ', as there is too little memory',
  EPERM: ', as it is not permitted',
};

/** The file that a command names; nothing where it is a bare name, which is looked up. */
function pathOf({ command, cwd }: Launch): string | undefined {
  const isPath = command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
  if (!isPath && !isAbsolute(command)) return undefined;
  return resolve(cwd ?? process.cwd(), command);
}

/** What to do about a command that only a shell would have understood. */
function unreadByShell(command: string): string | undefined {
  const because = 'No shell reads the command, so that';
  if (/^["']/.test(command)) return `${because} its quotes are a part of the name: leave them out.`;
  if (command.startsWith('~')) return `${because} "~" stands for nothing: give the full path.`;
  const [program = '', ...args] = command.trim().split(/\s+/);
  if (program === command) return undefined;
  return `${because} its spaces are a part of the name: if it is a program with arguments, pass command ${JSON.stringify(program)} and args ${JSON.stringify(args)}.`;
}

function notInPath({ env }: Launch): string {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
  if (path === undefined || path === '')
    return 'its environment has no PATH to look it up in. Pass PATH in env, or give the full path.';
  const count = path.split(delimiter).length;
  return `it is ${count === 1 ? 'not in the one folder' : `in none of the ${count} folders`} of PATH. Install it, or give its full path; a program started from a desktop often has a shorter PATH than a terminal.`;
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

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}

function codeOf(error: unknown): string | undefined {
  // What the file system rejects with is an error of the system, which has a code.
  return (error as NodeJS.ErrnoException).code;
}
