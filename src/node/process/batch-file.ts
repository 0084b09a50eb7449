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
