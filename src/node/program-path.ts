import { statSync } from 'node:fs';
import { win32 } from 'node:path';

type Environment = Readonly<Record<string, string>>;

/**
 * The file of a program on Windows. A name is looked up in the absolute folders of PATH only. Windows itself, and
 * cross-spawn, look in the working directory first, where a cloned repository can contain an `npx.cmd`.
 *
 * @returns The command itself if it is a path, and `undefined` if no folder contains the program.
 */
export function findProgram(command: string, env: Environment): string | undefined {
  if (/[\\/:]/.test(command)) return command;
  const extensions = variable(env, 'PATHEXT', '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const hasExtension = extensions.some((extension) => endsWith(command, extension));
  const names = [...(hasExtension ? [command] : []), ...extensions.map((extension) => command + extension)];
  const folders = variable(env, 'PATH', '')
    .split(';')
    .map((folder) => folder.replaceAll('"', ''))
    .filter((folder) => win32.isAbsolute(folder));
  const files = folders.flatMap((folder) => names.map((name) => `${folder.replace(/[\\/]$/, '')}/${name}`));
  return files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** `env` with the variable that keeps `cmd.exe`, and programs that the program starts, out of the working directory. */
export function withoutWorkingDirectoryLookup(env: Environment): Environment {
  return { NoDefaultCurrentDirectoryInExePath: '1', ...env };
}

/** Names of variables have no case on Windows. */
function variable(env: Environment, name: string, defaultValue: string): string {
  const found = Object.entries(env).find(([other]) => other.toUpperCase() === name);
  return found?.[1] ?? defaultValue;
}

function endsWith(text: string, end: string): boolean {
  return text.toLowerCase().endsWith(end.toLowerCase());
}
