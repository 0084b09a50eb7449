/** What can be asked of the command line, as data: the parser, its hints and the help all read it. */

export const formats = ['text', 'markdown', 'html', 'json'] as const;
export type Format = (typeof formats)[number];

export const permits = ['ask', 'allow', 'reject'] as const;
export type Permit = (typeof permits)[number];

interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** How the help names the value. */
  readonly value?: string;
  readonly does: string;
}

export const options = {
  json: { type: 'boolean', does: 'the same as --format json' },
  format: { type: 'string', value: 'FORMAT', does: 'text (the default), markdown, html or json' },
  protocol: { type: 'string', value: '1|2', does: 'offer this version only, instead of both' },
  trace: { type: 'string', value: 'FILE', does: 'record every message, one {dir, t, msg} a line' },
  timeout: { type: 'string', value: 'MS', does: 'how long the agent may take for an answer' },
  cwd: { type: 'string', value: 'DIR', does: 'the folder of the session' },
  settle: { type: 'string', value: 'MS', does: 'go on when no update came for so long (300)' },
  permit: { type: 'string', value: 'HOW', does: 'ask (the default), allow or reject' },
  session: { type: 'string', value: 'ID', does: 'which session of the recording to print' },
  help: { type: 'boolean', short: 'h', does: 'print this' },
  version: { type: 'boolean', does: 'print the version of this program' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;

/** The options that every command takes. */
const everywhere = ['json', 'format', 'protocol', 'trace', 'timeout', 'help', 'version'] as const;

interface Command {
  /** What must be given beside the options; absent where nothing is. */
  readonly argument?: { readonly name: string; readonly is: string };
  readonly options: readonly OptionName[];
  readonly formats: readonly Format[];
  readonly runsAgent: boolean;
  readonly does: string;
}

export const commands = {
  inspect: {
    options: everywhere,
    formats: ['text', 'json'],
    runsAgent: true,
    does: 'what the agent supports, and where it says so',
  },
  sessions: {
    options: [...everywhere, 'cwd'],
    formats: ['text', 'json'],
    runsAgent: true,
    does: 'the sessions that the agent keeps',
  },
  transcript: {
    argument: { name: '<sessionId>', is: 'the id of a session, as "acp-client sessions" prints them' },
    options: [...everywhere, 'cwd', 'settle'],
    formats,
    runsAgent: true,
    does: 'load a session and print what was said',
  },
  prompt: {
    argument: { name: '<text>', is: 'what to say to the agent, in quotes' },
    options: [...everywhere, 'cwd', 'permit'],
    formats,
    runsAgent: true,
    does: 'say something in a new session, print the answer',
  },
  fold: {
    argument: { name: '<traffic.ndjson>', is: 'a file that --trace wrote' },
    options: [...everywhere, 'session'],
    formats,
    runsAgent: false,
    does: 'print what was said in a recording ("-": in stdin)',
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;

// Their own keys, spelled out: `Object.keys` does not say so.
export const commandNames = Object.keys(commands) as readonly CommandName[];
export const optionNames = Object.keys(options) as readonly OptionName[];

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** A command as the parser and the help see it, whichever it is. */
export function commandNamed(name: CommandName): Command {
  return commands[name];
}

export function optionNamed(name: OptionName): Option {
  return options[name];
}
