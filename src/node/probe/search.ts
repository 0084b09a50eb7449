import { isAbsolute, join, resolve } from 'node:path';
import { foldersOfPath, installedProgram, isFile } from '../program-path.ts';
import type { Launch } from '../start-program.ts';

/** Where a program was looked for, and what was found. */
export interface ProgramSearch {
  /** The absolute path of the program's file. Absent if there is none. The file may be one that cannot be run. */
  readonly program: string | undefined;
  /** The absolute paths of the directories that were searched, or of the one file that the command names. */
  readonly searched: readonly string[];
}

/** Looks a program up as the start of an agent does: by its path, or by its name in the directories of PATH. */
export function searchProgram({ command, cwd = process.cwd(), env }: Launch): ProgramSearch {
  const isPath = isAbsolute(command) || (process.platform === 'win32' ? /[\\/:]/ : /\//).test(command);
  const named = isPath ? resolve(cwd, command) : command;
  const searched = isPath ? [named] : [...new Set(foldersOfPath(env))];
  const candidates = isPath ? [named] : searched.map((folder) => join(folder, command));
  return { program: installedProgram(named, env) ?? candidates.find(isFile), searched };
}
