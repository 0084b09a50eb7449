/** A shell, by its language. */
export type Shell = 'posix' | 'powershell' | 'cmd';

/** A program with its arguments, and the variables that it needs. */
export interface ShellCommand {
  /** The program, and its arguments. */
  readonly words: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
}

interface Syntax {
  /** A word that the shell takes as it is. */
  readonly plain: RegExp;
  /** Whether no line for this shell can hold a word. */
  readonly isImpossible: (word: string) => boolean;
  readonly quote: (word: string) => string;
  /** The line, from words that are quoted where it is necessary. */
  readonly join: (
    variables: readonly (readonly [name: string, value: string])[],
    words: readonly string[],
  ) => string;
}

const posix: Syntax = {
  // zsh replaces a word that begins with "=". A program with "=" in its name would be an assignment.
  plain: /^[\w@%+:,./-][\w@%+:,./=-]*$/,
  isImpossible: (word) => hasControls(word.replaceAll('\t', '')),
  quote: (word) => `'${word.replaceAll("'", "'\\''")}'`,
  join: (variables, words) =>
    [...variables.map(([name, value]) => `${name}=${quoted(value)}`), ...words].join(' '),
};

const powershell: Syntax = {
  // A word such as -a.b is divided.
  plain: /^(?!-.*[.:])[\w./:\\-]+$/,
  // Windows PowerShell passes quotes, an empty word, and a backslash at the end of several words in another way.
  isImpossible: (word) =>
    word === '' || word.includes('"') || hasControls(word) || (word.endsWith('\\') && /\s/.test(word)),
  // It also takes the typographic ones for quotes.
  quote: (word) => `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`,
  join(variables, words) {
    const program = words[0]?.startsWith("'") ? '& ' : '';
    return [
      ...variables.map(([name, value]) => `$env:${name} = ${powershell.quote(value)}`),
      program + words.join(' '),
    ].join('; ');
  },
};

const cmd: Syntax = {
  plain: /^[\w./:\\-]+$/,
  // Nothing keeps cmd.exe from replacing %NAME%.
  isImpossible: (word) => /["%!]/.test(word) || hasControls(word),
  // A backslash before the closing quote would belong to the quote.
  quote: (word) => `"${word}${'\\'.repeat(backslashesAtEnd(word))}"`,
  join: (variables, words) =>
    [...variables.map(([name, value]) => `set "${name}=${value}"`), words.join(' ')].join(' && '),
};

const syntaxes: Readonly<Record<Shell, Syntax>> = { posix, powershell, cmd };

/** What a shell with another name would assign. */
const variableName = /^[A-Za-z_]\w*$/;

/**
 * A line that runs a program in a shell, with exactly these arguments and variables. The shell replaces and runs nothing
 * in it.
 *
 * @returns `undefined` if there is no such line, such as for an argument with a line break.
 */
export function shellLine(shell: Shell, { words, env }: ShellCommand): string | undefined {
  const syntax = syntaxes[shell];
  const variables = Object.entries(env);
  if ([...words, ...Object.values(env)].some((word) => syntax.isImpossible(word))) return undefined;
  if (!variables.every(([name]) => variableName.test(name))) return undefined;
  const [program, ...args] = words;
  const first = program.includes('=') ? syntax.quote(program) : quoted(program, syntax);
  return syntax.join(variables, [first, ...args.map((word) => quoted(word, syntax))]);
}

/**
 * A command with its arguments as one line, to show it. Arguments are quoted as a POSIX shell needs it. A command
 * without arguments stays as it is: it can be a line for a shell.
 */
export function commandLine(command: string, args: readonly string[]): string {
  return args.length === 0 ? command : [command, ...args].map((word) => quoted(word)).join(' ');
}

/** A word, quoted if the shell needs it. */
export function quoted(word: string, { plain, quote } = posix): string {
  return plain.test(word) ? word : quote(word);
}

/** They end the line, or are keys in a terminal. */
function hasControls(word: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
  return /[\0-\x1f\x7f]/.test(word);
}

function backslashesAtEnd(word: string): number {
  let count = 0;
  while (word.at(-1 - count) === '\\') count++;
  return count;
}
