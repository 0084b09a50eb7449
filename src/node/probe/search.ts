import { isAbsolute, join, resolve } from 'node:path';
import { foldersOfPath, installedProgram, isFile } from '../program-path.ts';
import type { Launch } from '../start-program.ts';

/**
 * Looks a program up as the start of an agent does: by its path, or by its name in the directories of PATH.
 *
 * @returns `program`: the absolute path of the program's file. Absent if there is none. The file may be one that cannot
 *   be run. `searched`: the absolute paths of the directories that were searched, or of the one file that the command
 *   names.
 */
export function searchProgram({ command, cwd = process.cwd(), env }: Launch) {
  const isPath = isAbsolute(command) || (process.platform === 'win32' ? /[\\/:]/ : /\//).test(command);
  const named = isPath ? resolve(cwd, command) : command;
  const searched = isPath ? [named] : [...new Set(foldersOfPath(env))];
  const candidates = isPath ? [named] : searched.map((folder) => join(folder, command));
  return { program: installedProgram(named, env) ?? candidates.find(isFile), searched };
}
