import { posixWord } from '../../base/shell-line.ts';

/**
 * A command with its arguments as one line, to show it. Arguments are quoted as a POSIX shell needs it. A command
 * without arguments stays as it is: it can be a line for a shell.
 */
export function commandLine(command: string, args: readonly string[]): string {
  return args.length === 0 ? command : [command, ...args].map(posixWord).join(' ');
}
