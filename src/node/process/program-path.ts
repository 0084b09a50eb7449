import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve, win32 } from 'node:path';
import { mergeEnvironment, type Variables, variableIn } from '../environment/merge.ts';

type Environment = Readonly<Record<string, string>>;

/**
 * The file of a program on Windows. A name is looked up in the absolute directories of PATH only. Windows itself, and
 * cross-spawn, look in the working directory first, where a cloned repository can contain an `npx.cmd`. A path can be
 * given without its extension, as in `node_modules\\.bin\\tool`.
 *
 * @param cwd - The working directory of the program, for a relative path.
 * @returns The path of the file, or `undefined` if there is none.
 */
export function findProgram(command: string, env: Environment, cwd: string): string | undefined {
  const extensions = (variableIn(env, 'PATHEXT', 'win32') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter(Boolean);
  const hasExtension = extensions.some((extension) =>
    command.toLowerCase().endsWith(extension.toLowerCase()),
  );
  const names = [...(hasExtension ? [command] : []), ...extensions.map((extension) => command + extension)];
  if (/[\\/:]/.test(command)) return [...names, command].map((name) => resolve(cwd, name)).find(isFile);
  return windowsFolders(env)
    .flatMap((folder) => names.map((name) => `${folder.replace(/[\\/]$/, '')}/${name}`))
    .find(isFile);
}

/**
 * The absolute directories of PATH, in which a program is looked up by its name. An entry that is empty or relative
 * names a directory below the working directory, which can be a cloned repository.
 */
export function foldersOfPath(env: Variables): readonly string[] {
  if (process.platform === 'win32') return windowsFolders(env);
  return (env['PATH'] ?? defaultPath).split(':').filter((folder) => isAbsolute(folder));
}

function windowsFolders(env: Variables): readonly string[] {
  return (variableIn(env, 'PATH', 'win32') ?? '')
    .split(';')
    .map((folder) => folder.replaceAll('"', ''))
    .filter((folder) => win32.isAbsolute(folder));
}

/** Where the C library looks a program up in an environment without PATH. */
const defaultPath = '/bin:/usr/bin';

/**
 * The file of a program that is installed: a path, or a name in an absolute directory of PATH.
 *
 * @returns The path of the file, or `undefined` if there is none that can be run.
 */
export function installedProgram(command: string, env: Variables): string | undefined {
  if (process.platform === 'win32') return findProgram(command, mergeEnvironment({}, env), process.cwd());
  if (command.includes('/')) return isExecutable(resolve(command)) ? resolve(command) : undefined;
  return foldersOfPath(env)
    .map((folder) => join(folder, command))
    .find(isExecutable);
}

/**
 * Looks a program up as the start of an agent does: by its path, or by its name in the directories of PATH.
 *
 * @returns `program`: the absolute path of the program's file. Absent if there is none. The file may be one that cannot
 *   be run. `searched`: the absolute paths of the directories that were searched, or of the one file that the command
 *   names.
 */
export function searchProgram(command: string, env: Environment, cwd = process.cwd()) {
  const isPath = isAbsolute(command) || (process.platform === 'win32' ? /[\\/:]/ : /\//).test(command);
  const named = isPath ? resolve(cwd, command) : command;
  const searched = isPath ? [named] : [...new Set(foldersOfPath(env))];
  const candidates = isPath ? [named] : searched.map((folder) => join(folder, command));
  return { program: installedProgram(named, env) ?? candidates.find(isFile), searched };
}

function isExecutable(path: string): boolean {
  if (!isFile(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Also in a directory that cannot be entered.
    return false;
  }
}

/** `env` with the variable that keeps `cmd.exe`, and programs that the program starts, out of the working directory. */
export function withoutWorkingDirectoryLookup(env: Environment): Environment {
  return { NoDefaultCurrentDirectoryInExePath: '1', ...env };
}
