import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { diffChars } from 'diff';
import * as v from 'valibot';
import packageJson from '../../package.json' with { type: 'json' };
import { errorMessage } from '../diagnostic.ts';
import { issuesOf } from '../issue.ts';
import { oneOf } from '../options.ts';
import { wrapLines } from '../render/lines.ts';
import { maxTimerMs } from '../wait.ts';
import { CommandError, exitCodes } from './errors.ts';
import { type Format, fitTable, formats } from './print.ts';

export const { version } = packageJson;

interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

const options = {
  json: { type: 'boolean', help: 'the same as --format json' },
  format: { type: 'string', value: 'FORMAT', help: 'text (the default), markdown, html or json' },
  protocol: { type: 'string', value: '1|2', help: 'offer this version only, instead of both' },
  trace: { type: 'string', value: 'FILE', help: 'record each message as one line {dir, t, msg}' },
  timeout: { type: 'string', value: 'MS', help: 'how long the agent may take for an answer' },
  verbose: { type: 'boolean', help: 'where the agent advertises each feature' },
  cwd: { type: 'string', value: 'DIR', help: 'the folder of the session' },
  settle: { type: 'string', value: 'MS', help: 'end after so long without an update (300)' },
  permit: { type: 'string', value: 'HOW', help: 'ask (the default), allow or reject' },
  session: { type: 'string', value: 'ID', help: 'which session of the recording to print' },
  help: { type: 'boolean', short: 'h', help: 'print this' },
  version: { type: 'boolean', help: 'print the version of this program' },
} as const satisfies Record<string, Option>;

type OptionName = keyof typeof options;

/** Values of the options that have rules. The others are any string. */
const valueSchema = v.looseObject({
  format: v.optional(oneOf(...formats)),
  protocol: v.optional(oneOf('1', '2')),
  timeout: v.optional(milliseconds(1)),
  settle: v.optional(milliseconds(0), '300'),
  permit: v.optional(oneOf('ask', 'allow', 'reject'), 'ask'),
});

export type Permit = v.InferOutput<typeof valueSchema>['permit'];

function milliseconds(least: number) {
  const isValid = (text: string) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= maxTimerMs;
  const problem = ({ input }: { readonly input: string }) =>
    `is ${JSON.stringify(input)}: pass a whole number of milliseconds from ${least} to ${maxTimerMs}`;
  return v.pipe(v.string(), v.check(isValid, problem), v.transform(Number));
}

/** Options of every command. */
const common = ['json', 'format', 'protocol', 'trace', 'timeout', 'help', 'version'] as const;

interface Command {
  /** The required argument, if there is one. */
  readonly argument?: { readonly name: string; readonly help: string };
  readonly options: readonly OptionName[];
  readonly formats: readonly Format[];
  readonly runsAgent: boolean;
  readonly help: string;
}

export type CommandName = 'inspect' | 'sessions' | 'transcript' | 'prompt' | 'fold';

const commands: Readonly<Record<CommandName, Command>> = {
  inspect: {
    options: [...common, 'verbose'],
    formats: ['text', 'json'],
    runsAgent: true,
    help: 'what the agent supports',
  },
  sessions: {
    options: [...common, 'cwd'],
    formats: ['text', 'json'],
    runsAgent: true,
    help: 'the sessions that the agent keeps',
  },
  transcript: {
    argument: { name: '<sessionId>', help: 'the id of a session, as "acp-client sessions" prints it' },
    options: [...common, 'cwd', 'settle'],
    formats,
    runsAgent: true,
    help: 'load a session and print its transcript',
  },
  prompt: {
    argument: { name: '<text>', help: 'what to say to the agent, in quotes' },
    options: [...common, 'cwd', 'permit'],
    formats,
    runsAgent: true,
    help: 'say something in a new session, print the answer',
  },
  fold: {
    argument: { name: '<traffic.ndjson>', help: 'a file that --trace wrote' },
    options: [...common, 'session'],
    formats,
    runsAgent: false,
    help: 'print the transcript in a recording ("-": stdin)',
  },
};

// `Object.keys` has the type `string[]`.
export const commandNames = Object.keys(commands) as readonly CommandName[];
export const optionNames = Object.keys(options) as readonly OptionName[];

const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);

/** Program of the agent. */
interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A valid command line. */
export interface Invocation {
  readonly command: CommandName;
  /** Empty if the command takes none. */
  readonly argument: string;
  /** `undefined`: the demo agent. */
  readonly agent: AgentCommand | undefined;
  readonly format: Format;
  readonly protocolVersion: 1 | 2 | undefined;
  readonly traceFile: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly isVerbose: boolean;
  /** Absolute path. */
  readonly cwd: string | undefined;
  readonly settleMs: number;
  readonly permit: Permit;
  readonly sessionId: string | undefined;
}

export type Request = { readonly show: 'help' | 'version' } | { readonly run: Invocation };

/**
 * Parses a command line.
 *
 * @param currentFolder - The base of relative paths.
 * @throws {@link CommandError} if it is wrong.
 */
export function readArguments(argv: readonly string[], currentFolder: string): Request {
  const end = argv.indexOf('--');
  const { values, positionals } = parse(end === -1 ? argv : argv.slice(0, end));
  if (values.help) return { show: 'help' };
  if (values.version) return { show: 'version' };
  const [name, ...args] = positionals;
  if (name === undefined) {
    throw usageError(`Name a command: ${commandNames.join(', ')}. --help describes them.`);
  }
  if (!isCommandName(name)) throw unknownName('command', name, commandNames);
  checkOptionsOf(name, values);
  const argument = argumentOf(name, args);
  const agent = agentOf(name, end === -1 ? undefined : argv.slice(end + 1));
  const checked = v.safeParse(valueSchema, values);
  if (!checked.success) {
    const problems = issuesOf(checked.issues, '').map(({ path, message }) => `--${path} ${message}`);
    throw usageError(`${problems.join('; ')}.`);
  }
  const { format, protocol, timeout, settle, permit } = checked.output;
  const path = (value: string | undefined) =>
    value === undefined ? undefined : resolve(currentFolder, value);
  return {
    run: {
      command: name,
      argument,
      agent,
      format: formatOf(name, values.json, format),
      protocolVersion: protocol && (protocol === '1' ? 1 : 2),
      traceFile: path(values.trace),
      timeoutMs: timeout,
      isVerbose: values.verbose ?? false,
      cwd: path(values.cwd),
      settleMs: settle,
      permit,
      sessionId: values.session,
    },
  };
}

type Values = ReturnType<typeof parse>['values'];

function parse(argv: readonly string[]) {
  const config = { args: [...argv], options, allowPositionals: true } as const;
  for (const token of parseArgs({ ...config, strict: false, tokens: true }).tokens) {
    if (token.kind === 'option' && !Object.hasOwn(options, token.name)) {
      throw unknownName(
        'option',
        token.rawName,
        optionNames.map((name) => `--${name}`),
      );
    }
  }
  try {
    return parseArgs({ ...config, strict: true });
  } catch (error) {
    // The first sentence of Node's message says what is wrong. The rest is about positional arguments.
    const [message = ''] = errorMessage(error).split(/\.(?:\s|$)/);
    throw usageError(`${message}.`);
  }
}

function checkOptionsOf(name: CommandName, values: Values): void {
  const own = commands[name].options;
  const foreign = optionNames.find((option) => values[option] !== undefined && !own.includes(option));
  if (foreign === undefined) return;
  throw usageError(`${name} has no option --${foreign}: it is for ${commandsWith(foreign).join(', ')}.`);
}

function commandsWith(option: OptionName): readonly CommandName[] {
  return commandNames.filter((name) => commands[name].options.includes(option));
}

function argumentOf(name: CommandName, [given, extra]: readonly string[]): string {
  const { argument } = commands[name];
  if (argument && !given?.trim()) throw usageError(`${name} needs ${argument.name}: ${argument.help}.`);
  const unexpected = argument ? extra : given;
  if (unexpected === undefined) return given ?? '';
  throw usageError(
    `${name} takes ${argument ? 'one argument' : 'no argument'}, and got ${JSON.stringify(unexpected)}. ${
      argument ? 'Put quotes around spaces. ' : ''
    }The command of the agent comes after --.`,
  );
}

function agentOf(name: CommandName, words: readonly string[] | undefined): AgentCommand | undefined {
  if (!words) return undefined;
  if (!commands[name].runsAgent) throw usageError(`${name} runs no agent: remove -- and what follows.`);
  const [command, ...args] = words;
  if (!command) throw usageError('The command of the agent is missing after --.');
  return { command, args };
}

function formatOf(name: CommandName, json: boolean | undefined, format: Format | undefined): Format {
  const chosen = format ?? (json ? 'json' : 'text');
  if (json && chosen !== 'json') throw usageError(`--json and --format ${chosen} exclude each other.`);
  const possible = commands[name].formats;
  if (possible.includes(chosen)) return chosen;
  throw usageError(`${name} prints ${possible.join(' or ')}, not ${chosen}.`);
}

function unknownName(kind: 'command' | 'option', given: string, names: readonly string[]): CommandError {
  const [nearest] = names
    .map((name) => ({ name, likeness: likeness(given, name) }))
    .sort((a, b) => b.likeness - a.likeness);
  const hint =
    nearest && nearest.likeness > 0.7 ? `Did you mean ${nearest.name}?` : `Use one of ${names.join(', ')}.`;
  return usageError(`There is no ${kind} ${given}. ${hint}`);
}

/** Share of the characters that two names have in common, in the same order: 0 to 1. */
function likeness(given: string, name: string): number {
  const shared = diffChars(given.slice(0, 40), name).filter(({ added, removed }) => !added && !removed);
  return (2 * shared.reduce((sum, { value }) => sum + value.length, 0)) / (given.length + name.length);
}

const usage = 'acp-client <command> [options] [-- <agent command> [args…]]';

function usageError(message: string): CommandError {
  return new CommandError(`${message}\nUsage: ${usage}`, exitCodes.usage);
}

/** Text of `--help` for a terminal with so many columns. */
export function helpText(width = 80): string {
  const commandRows = commandNames.map((name) => {
    const { argument, help } = commands[name];
    return [`  ${name} ${argument?.name ?? ''}`.trimEnd(), help];
  });
  const optionRows = optionNames.map((name) => {
    const { short, value, help }: Option = options[name];
    const owners = commandsWith(name);
    const scope = owners.length === commandNames.length ? '' : `${owners.join(', ')}: `;
    return [`  ${short ? `-${short}, ` : ''}--${name} ${value ?? ''}`.trimEnd(), `${scope}${help}`];
  });
  const text = `Talks to a coding agent over the Agent Client Protocol, and shows what it says.

Usage: ${usage}

Without an agent command it runs a demo agent that ships with this program. The demo agent has no model and needs no key and no network. You can try everything here with it.

Commands
${fitTable(commandRows, width)}
Options
${fitTable(optionRows, width)}
Examples
  acp-client inspect                              what the demo agent supports
  acp-client sessions                             its example sessions
  acp-client transcript example-tea-house         what was said in one of them
  acp-client prompt 'please edit my notes'        asks you for permission
  acp-client prompt hello --trace hello.ndjson    records each message …
  acp-client fold hello.ndjson --json             … and folds them
  acp-client inspect -- npx -y some-agent --acp   another agent

The result goes to stdout, everything else to stderr. Ctrl-C ends the command; in a prompt it first cancels the turn.

Exit codes
  0    done
  2    wrong usage
  3    the agent lacks the capability; nothing was sent
  4    the agent answered with an error
  5    the agent broke the protocol, crashed, hung or could not be started
  130  interrupted
`;
  return wrapLines(text, width);
}
