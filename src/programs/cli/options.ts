import packageJson from '../../../package.json' with { type: 'json' };
import type { PruneOptions } from '../../transcripts/prune.ts';
import { documentFormats, type Format, turnFormats } from './formats.ts';
import type { ActionName, Argument } from './history-actions.ts';
import type { Assignment, Header, Permit } from './option-values.ts';

export const { version } = packageJson;

/** How the user calls this program. */
export const program = 'npx acp-client-sdk';

export const usage = '<command> [options] [-- <agent command or URL> [args…]]';

export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** Whether the option can be given more than once. */
  readonly multiple?: true;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export const options = {
  json: { type: 'boolean', help: 'the same as --format json' },
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'text (the default), markdown, html, json, jsonl or answer',
  },
  protocol: { type: 'string', value: '1|2', help: 'offer this version only, instead of both' },
  trace: { type: 'string', value: 'FILE', help: 'record each message as one line {dir, t, msg}' },
  timeout: { type: 'string', value: 'MS', help: 'how long to wait for an answer from the agent' },
  agent: { type: 'string', value: 'NAME', help: 'run this agent of the registry' },
  registry: { type: 'string', value: 'URL|FILE', help: 'another registry than the published one' },
  header: {
    type: 'string',
    multiple: true,
    value: "'NAME: VALUE'",
    help: 'send a header to the agent at a URL; no secrets, see --token-env',
  },
  'token-env': {
    type: 'string',
    value: 'NAME',
    help: 'send the token in this environment variable to the agent at a URL',
  },
  'share-files': {
    type: 'boolean',
    help: 'let the agent at a URL read and write the files here, in --cwd',
  },
  verbose: { type: 'boolean', help: 'the dialect, and where the agent advertises each feature' },
  open: { type: 'boolean', help: 'create a session, and list its settings and commands' },
  web: { type: 'boolean', help: 'serve the inspector: a page that shows what happens, and drives the agent' },
  port: { type: 'string', value: 'N', help: 'the port of the inspector on 127.0.0.1; a free one by default' },
  cwd: { type: 'string', value: 'DIR', help: 'the directory of the session' },
  session: { type: 'string', value: 'ID', help: 'the session to use, instead of a new one' },
  set: { type: 'string', multiple: true, value: 'ID=VALUE', help: 'change a setting, such as model=small' },
  file: { type: 'string', multiple: true, value: 'FILE', help: 'add a file to the prompt' },
  image: { type: 'string', multiple: true, value: 'FILE', help: 'add an image to the prompt' },
  mcp: { type: 'string', multiple: true, value: 'FILE', help: 'use the MCP servers of a configuration' },
  permit: { type: 'string', value: 'HOW', help: 'ask (the default), allow or reject' },
  'allow-edits': {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'allow edits of files below this directory; --permit answers the rest',
  },
  summary: { type: 'string', value: 'FILE', help: 'write what happened in the turn as JSON' },
  settle: { type: 'string', value: 'MS', help: 'end after this time without an update (300)' },
  keep: { type: 'boolean', help: 'record the transcript, for the command history' },
  directory: { type: 'string', value: 'DIR', help: 'the directory of the recorded transcripts' },
  'older-than': {
    type: 'string',
    value: 'DAYS',
    help: 'history prune: delete what did not change for so many days',
  },
  'max-size': {
    type: 'string',
    value: 'MB',
    help: 'history prune: delete the oldest ones, until the others take so much',
  },
  'keep-last': {
    type: 'string',
    value: 'N',
    help: 'history prune: do not delete the last N; alone, it deletes all others',
  },
  help: { type: 'boolean', short: 'h', help: 'print the help' },
  version: { type: 'boolean', short: 'v', help: 'print the version of this program' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;

/** Options of every command that prints a result. */
const common = ['json', 'format', 'protocol', 'trace', 'timeout', 'help', 'version'] as const;

/** Options of every command that runs an agent. */
const running = [...common, 'agent', 'registry', 'header', 'token-env'] as const;

interface Command {
  readonly argument?: Argument;
  readonly options: readonly OptionName[];
  readonly formats: readonly Format[];
  /** Whether it runs all agents of the registry, and not the demo agent, if none is named. */
  readonly runsAll?: true;
  /** For the list of commands. */
  readonly help: string;
  /** More about the command, for its own help page. */
  readonly details: string;
  readonly examples: readonly (readonly [words: string, effect: string])[];
}

const table = {
  inspect: {
    argument: {
      name: '[file]',
      help: 'with --web: a file that --trace wrote, or two to compare, or a saved transcript',
    },
    options: [...running, 'verbose', 'open', 'session', 'cwd', 'settle', 'web', 'port'],
    formats: ['text', 'json'],
    help: 'what the agent supports',
    details:
      'Connects, and prints the agent, the protocol version, each feature and the login methods. With --open or --session it also lists the settings of a session, such as its mode and its model, and the commands of the agent. With --web it serves a page on this machine, prints its address, and runs until Ctrl-C: the transcript and the messages side by side, everything that the agent can do by hand, and recordings and saved transcripts without an agent. Anyone who has the address can drive the agent.',
    examples: [
      ['inspect', 'what the demo agent supports'],
      ['inspect --open', 'also its settings and commands'],
      ['inspect -- npx -y some-agent --acp', 'another agent'],
      ['inspect -- https://example.com/acp', 'an agent behind a server'],
      ['inspect --web', 'in the browser'],
      ['inspect --web hello.ndjson', 'a recording, or a saved transcript'],
    ],
  },
  sessions: {
    options: [...running, 'cwd'],
    formats: ['text', 'json'],
    help: 'the sessions that the agent keeps',
    details: 'Lists the sessions of all directories, or of the directory in --cwd.',
    examples: [['sessions', 'its example sessions']],
  },
  transcript: {
    argument: {
      name: '<sessionId>',
      help: 'the id of a session, as "npx acp-client-sdk sessions" prints it',
    },
    options: [...running, 'cwd', 'settle'],
    formats: documentFormats,
    help: 'load a session and print its transcript',
    details: 'Loads the session in the current directory, or in --cwd, and prints its transcript.',
    examples: [
      ['transcript example-tea-house', 'one of its example sessions'],
      ['transcript example-tea-house --format html', 'as a web page'],
    ],
  },
  prompt: {
    argument: { name: '<text>', help: 'what to say to the agent, in quotes, or - to read stdin' },
    options: [
      ...running,
      'cwd',
      'session',
      'set',
      'file',
      'image',
      'mcp',
      'permit',
      'allow-edits',
      'summary',
      'share-files',
      'keep',
      'directory',
    ],
    formats: turnFormats,
    help: 'take one turn and print the answer',
    details:
      'Creates a session, or continues the one in --session, sends the text and prints what the turn adds, while it comes. --format jsonl prints an event on each line, and --format answer only what the agent says last. The agent can read and write files in the directory of the session.',
    examples: [
      ["prompt 'please edit my notes'", 'asks you for permission'],
      ['prompt hello --trace hello.ndjson', 'records each message'],
      ["prompt 'explain this' --file main.ts", 'with a file'],
      ['prompt - --permit allow < task.txt', 'without questions'],
      ['prompt - --permit reject --allow-edits src', 'edits below src only'],
      ['prompt hello --format answer', 'only what the agent says'],
    ],
  },
  chat: {
    options: [
      ...running,
      'cwd',
      'session',
      'set',
      'mcp',
      'permit',
      'allow-edits',
      'share-files',
      'keep',
      'directory',
    ],
    formats: turnFormats,
    help: 'talk to the agent, turn by turn',
    details:
      'Takes several turns in a new session, or in the one in --session. Type /help for what you can type, and /exit to leave. Ctrl-C cancels the turn. If stdin is not a terminal, each of its lines is a turn. The formats markdown, html and json print the conversation at the end. --format jsonl prints an event on each line, and --format answer what the agent says last in each turn.',
    examples: [
      ['chat', 'with the demo agent'],
      ['chat --session example-tea-house', 'continues a session'],
      ['chat --set mode=auto', 'with a setting'],
      ['chat --keep', 'records the transcript'],
    ],
  },
  history: {
    argument: { name: '[action]', help: 'list (the default), search, print, remove or prune' },
    options: ['json', 'format', 'cwd', 'directory', 'older-than', 'max-size', 'keep-last', 'help', 'version'],
    formats: [...documentFormats, 'jsonl'],
    help: 'the transcripts that --keep recorded',
    details:
      'Lists, searches, prints and deletes transcripts that chat or prompt recorded with --keep. prune deletes old ones: those that any of its options names. Runs no agent. They are in the directory acp-client-sdk/transcripts of $XDG_DATA_HOME or ~/.local/share, on macOS of ~/Library/Application Support, on Windows of %LOCALAPPDATA%, or in --directory. list and search take the transcripts of all sessions, or those of the directory in --cwd.',
    examples: [
      ['history', 'what is there'],
      ['history search leap year', 'where these words are'],
      ['history search leap --format jsonl', 'for jq and other programs'],
      ['history print ID --format html', 'as a web page'],
      ['history remove ID', 'deletes one'],
      ['history prune --older-than 90 --keep-last 20', 'deletes old ones'],
    ],
  },
  fold: {
    argument: { name: '<traffic.ndjson>', help: 'a file that --trace wrote' },
    options: [...common, 'session'],
    formats: documentFormats,
    help: 'print the transcript in a recording ("-": stdin)',
    details: 'Prints the session with the most updates, or the one in --session. Runs no agent.',
    examples: [['fold hello.ndjson --json', 'prints what was recorded']],
  },
  agents: {
    options: ['json', 'format', 'registry', 'timeout', 'help', 'version'],
    formats: ['text', 'json'],
    help: 'the agents of the registry, for --agent',
    details:
      'Lists the agents of the ACP registry: the name for --agent, the version, the title, and how the agent starts here or what is missing. Fetches the registry and keeps a copy, which is used when the registry cannot be fetched. The variable ACP_REGISTRY names another registry than the published one. Downloads and starts no agent.',
    examples: [
      ['agents', 'the agents of the published registry'],
      ['agents --registry ./registry.json', 'of a file'],
    ],
  },
  doctor: {
    options: ['json', 'format', 'timeout', 'agent', 'registry', 'help', 'version'],
    formats: ['text', 'json'],
    runsAll: true,
    help: 'check an agent, or all that are installed',
    details:
      'Starts an agent, and prints whether its program is there, which versions of the protocol it answers, whether you are logged in, and what to do about each problem. Sends no prompt. It opens a session in an empty directory and deletes it again, where the agent can. Without an agent, it checks those of the registry whose programs are installed, and lists the others. It downloads no package, unless you name the agent.',
    examples: [
      ['doctor', 'the agents of the registry'],
      ['doctor --agent some-agent', 'one of them'],
      ['doctor -- some-agent --acp', 'a command'],
    ],
  },
  help: {
    argument: { name: '[command]', help: 'a command' },
    options: ['help', 'version'],
    formats: ['text'],
    help: 'describe a command',
    details: 'Prints the options of a command and examples, or an overview.',
    examples: [['help prompt', 'the options of prompt']],
  },
} satisfies Record<string, Command>;

export type CommandName = keyof typeof table;
export const commands: Readonly<Record<CommandName, Command>> = table;

// `Object.keys` has the type `string[]`.
export const commandNames = Object.keys(commands) as readonly CommandName[];
export const optionNames = Object.keys(options) as readonly OptionName[];

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** The commands that have an option. */
export function commandsWith(option: OptionName): readonly CommandName[] {
  return commandNames.filter((name) => commands[name].options.includes(option));
}

/** Whether a command runs an agent: the user can then choose one. */
export function runsAgent(name: CommandName): boolean {
  return commands[name].options.includes('agent');
}

/** The agent's program, its name in the registry, or the URL of the server that it is behind. */
export type AgentChoice =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly name: string }
  | { readonly url: string };

/** What the inspector serves: an agent, or one or two recordings. */
export interface WebChoice {
  /** `undefined`: a free one. */
  readonly port: number | undefined;
  /** Absolute paths. Empty for an agent. */
  readonly recordings: readonly string[];
}

/** A valid command line. */
export interface Invocation {
  /** `help` is a request for a text, and never invoked. */
  readonly command: Exclude<CommandName, 'help'>;
  /** What `history` does. `undefined` for the other commands. */
  readonly action: ActionName | undefined;
  /** Of the command, or of the action. Empty if there is none. */
  readonly argument: string;
  /** `undefined`: the demo agent, or all agents of the registry. */
  readonly agent: AgentChoice | undefined;
  /** The address or the path of a registry, as the user wrote it. `undefined`: the default. */
  readonly registry: string | undefined;
  /** For the agent at a URL. */
  readonly headers: readonly Header[];
  /** The environment variable with the token for the agent at a URL. */
  readonly tokenVariable: string | undefined;
  /** Whether the agent at a URL can use the files of this machine. */
  readonly sharesFiles: boolean;
  readonly format: Format;
  readonly protocolVersion: 1 | 2 | undefined;
  readonly traceFile: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly isVerbose: boolean;
  /** Whether `inspect` opens a session. */
  readonly opensSession: boolean;
  /** What `inspect` serves to a browser. `undefined`: it prints instead. */
  readonly web: WebChoice | undefined;
  /** Absolute path, on the machine of the agent. */
  readonly cwd: string | undefined;
  readonly settleMs: number;
  readonly permit: Permit;
  /** Absolute paths of the directories below which edits are allowed. */
  readonly allowEdits: readonly string[];
  /** The absolute path of the file for the summary. */
  readonly summaryFile: string | undefined;
  readonly sessionId: string | undefined;
  /** Whether the transcript is recorded. */
  readonly keepsTranscript: boolean;
  /** Absolute path of the directory with transcripts. `undefined`: the one of the user. */
  readonly transcriptFolder: string | undefined;
  /** Which transcripts `history prune` deletes. */
  readonly pruned: PruneOptions;
  readonly settings: readonly Assignment[];
  /** Absolute paths of the files in the prompt. */
  readonly files: readonly string[];
  /** Absolute paths of the images in the prompt. */
  readonly images: readonly string[];
  /** Absolute paths of configurations with MCP servers. */
  readonly mcpFiles: readonly string[];
}

/** Whether the agent uses the files of this machine. */
export function usesFilesHere({ agent, sharesFiles }: Invocation): boolean {
  return sharesFiles || agent === undefined || !('url' in agent);
}
