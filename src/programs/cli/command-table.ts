import { documentFormats, type Format, type OptionName, turnFormats } from './options.ts';

/** How the user calls this program. */
export const program = 'npx acp-client-sdk';

/** A name in angle brackets is required, and one in square brackets is not. One with dots takes several words. */
interface Argument {
  readonly name: string;
  readonly help: string;
}

interface Command {
  readonly argument?: Argument;
  readonly options: readonly OptionName[];
  readonly formats: readonly Format[];
  /** What options do that have another meaning here. */
  readonly meanings?: Partial<Record<OptionName, string>>;
  /** Whether it runs all agents of the registry, and not the demo agent, if none is named. */
  readonly runsAll?: true;
  /** For the list of commands. */
  readonly help: string;
  /** More about the command, for its own help page. */
  readonly details: string;
  readonly examples: readonly (readonly [words: string, effect: string])[];
}

/** Options of every command. */
const every = ['help', 'version'] as const;

/** Options of every command that runs an agent. */
const running = ['format', 'protocol', 'trace', 'timeout', 'agent', 'header', 'token-env'] as const;

/** Options of every command that takes turns. */
const turns = [
  ...running,
  ...(['cwd', 'session', 'set', 'mcp', 'permit', 'allow-edits', 'share-files', 'keep', 'directory'] as const),
] as const;

const transcriptId: Argument = {
  name: '<id>',
  help: 'the id of a transcript, as "npx acp-client-sdk history" prints it',
};

const table = {
  inspect: {
    argument: {
      name: '[--web [file…]]',
      help: 'a file that --trace wrote, or two to compare, or a saved transcript',
    },
    options: [...running, 'cwd', 'web', 'port', ...every],
    formats: ['text', 'json'],
    help: 'what the agent supports',
    details:
      'Connects, and prints the agent, the protocol version, each feature and the login methods. With --web it serves a page on this machine, prints its address, and runs until Ctrl-C: the transcript and the messages side by side, everything that the agent can do by hand, and recordings and saved transcripts without an agent. Anyone who has the address can drive the agent.',
    examples: [
      ['inspect', 'what the demo agent supports'],
      ['inspect -- npx -y some-agent --acp', 'another agent'],
      ['inspect --web', 'in the browser'],
      ['inspect --web hello.ndjson', 'a recording, or a saved transcript'],
      ['inspect -- https://example.com/acp', 'an agent behind a server'],
    ],
  },
  sessions: {
    options: [...running, 'cwd', ...every],
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
    options: [...running, 'cwd', 'settle', ...every],
    formats: documentFormats,
    help: 'load a session and print its transcript',
    details: 'Loads the session in the current directory, or in --cwd, and prints its transcript.',
    examples: [['transcript example-tea-house', 'one of its example sessions']],
  },
  prompt: {
    argument: { name: '<text>', help: 'what to say to the agent, in quotes, or - to read stdin' },
    options: [...turns, 'file', 'summary', ...every],
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
    ],
  },
  chat: {
    options: [...turns, ...every],
    formats: turnFormats,
    help: 'talk to the agent, turn by turn',
    details:
      'Takes several turns in a new session, or in the one in --session. Type /help for what you can type, and /exit to leave. Ctrl-C cancels the turn. If stdin is not a terminal, each of its lines is a turn. The formats markdown, html and json print the conversation at the end.',
    examples: [
      ['chat', 'with the demo agent'],
      ['chat --session example-tea-house', 'continues a session'],
      ['chat --set mode=auto', 'with a setting'],
      ['chat --keep', 'records the transcript'],
    ],
  },
  history: {
    options: ['format', 'cwd', 'directory', ...every],
    formats: ['text', 'json'],
    help: 'the transcripts that --keep recorded',
    details:
      'Lists the transcripts that chat or prompt recorded with --keep, the one that changed last first. They are in the directory acp-client-sdk/transcripts of $XDG_DATA_HOME or ~/.local/share, on macOS of ~/Library/Application Support, on Windows of %LOCALAPPDATA%, or in --directory.',
    examples: [['history', 'what is there']],
  },
  'history search': {
    argument: { name: '<words…>', help: 'what to find' },
    options: ['format', 'cwd', 'directory', ...every],
    formats: ['text', 'jsonl'],
    help: 'where these words are in them',
    details: 'Searches the transcripts of all sessions, or those of the directory in --cwd.',
    examples: [['history search leap year', 'where these words are']],
  },
  'history print': {
    argument: transcriptId,
    options: ['format', 'directory', ...every],
    formats: documentFormats,
    help: 'print one of them',
    details: 'Prints a transcript that --keep recorded. Runs no agent.',
    examples: [['history print ID --format html', 'as a web page']],
  },
  'history remove': {
    argument: transcriptId,
    options: ['directory', ...every],
    formats: ['text'],
    help: 'delete one of them',
    details: 'Deletes a transcript that --keep recorded.',
    examples: [['history remove ID', 'deletes one']],
  },
  fold: {
    argument: { name: '<file>', help: 'a file that --trace wrote, or - to read stdin' },
    options: ['format', 'protocol', 'session', ...every],
    formats: documentFormats,
    meanings: { protocol: 'the version, if the file does not say it', session: 'the session to print' },
    help: 'print the transcript in a recording',
    details: 'Prints the session with the most updates, or the one in --session. Runs no agent.',
    examples: [['fold hello.ndjson --format json', 'prints what was recorded']],
  },
  agents: {
    options: ['format', 'timeout', ...every],
    formats: ['text', 'json'],
    help: 'the agents of the registry, for --agent',
    details:
      'Lists the agents of the ACP registry: the name for --agent, the version, the title, and how the agent starts here or what is missing. Fetches the registry and keeps a copy, which is used when the registry cannot be fetched. The variable ACP_REGISTRY names another registry than the published one, by its URL or file. Downloads and starts no agent.',
    examples: [['agents', 'the agents of the published registry']],
  },
  doctor: {
    options: ['format', 'timeout', 'agent', ...every],
    formats: ['text', 'json'],
    runsAll: true,
    help: 'check an agent, or all that are installed',
    details:
      'Starts an agent, and prints whether its program is there, which versions of the protocol it answers, whether you are logged in, and what to do about each problem. Sends no prompt. It opens a session in an empty directory and deletes it again, where the agent can. Without an agent, it checks those of the registry whose programs are installed, and lists the others. It downloads no package, unless you name the agent.',
    examples: [
      ['doctor', 'the agents of the registry'],
      ['doctor --agent NAME', 'one of them'],
      ['doctor -- some-agent --acp', 'a command'],
    ],
  },
} satisfies Record<string, Command>;

export type CommandName = keyof typeof table;
export const commands: Readonly<Record<CommandName, Command>> = table;

// `Object.keys` has the type `string[]`.
export const commandNames = Object.keys(commands) as readonly CommandName[];

/** The command that a line begins with: some have two words. */
export function commandIn([first = '', second = '']: readonly string[]): CommandName | undefined {
  return (
    commandNames.find((name) => name === `${first} ${second}`) ?? commandNames.find((name) => name === first)
  );
}

/** Whether a command runs an agent: the user can then choose one. */
export function runsAgent(name: CommandName): boolean {
  return commands[name].options.includes('agent');
}
