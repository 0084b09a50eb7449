import { posix, resolve, win32 } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { type CommandName, commandIn, commandNames, commands, runsAgent } from './command-table.ts';
import { CommandError, usageError } from './errors.ts';
import { usageOf } from './help.ts';
import { type Format, type Option, type OptionName, optionNames, options, type Values } from './options.ts';

export type Request =
  /** `command`: the help of this command. */
  | { readonly show: 'help'; readonly command?: CommandName }
  | { readonly show: 'version' }
  | { readonly run: Invocation };

/** A valid command line. */
export type Invocation = ReturnType<typeof invocationOf>;

/** The agent's program, its name in the registry, or the URL of the server that it is behind. */
export type AgentChoice =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly name: string }
  | { readonly url: string };

/** Whether the agent uses the files of this machine. */
export function usesFilesHere({ agent, sharesFiles }: Invocation): boolean {
  return sharesFiles || agent === undefined || !('url' in agent);
}

/**
 * Parses a command line.
 *
 * @param currentFolder - The base of relative paths.
 * @throws {@link CommandError} if it is wrong.
 */
export function readArguments(argv: readonly string[], currentFolder: string): Request {
  if (argv.length === 0) return { show: 'help' };
  const end = argv.indexOf('--');
  const args = [...(end === -1 ? argv : argv.slice(0, end))];
  const agentWords = end === -1 ? undefined : argv.slice(end + 1);
  const line = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  const name = commandIn(line.positionals);
  if (line.values.help) return { show: 'help', ...(name && { command: name }) };
  if (line.values.version) return { show: 'version' };
  try {
    if (name === undefined) throw unknownCommand(line.positionals[0]);
    for (const token of line.tokens) if (token.kind === 'option') assertOwn(name, token);
    const { values, positionals } = parse(args);
    const words = positionals.slice(name.split(' ').length);
    return { run: invocationOf(name, words, valuesOf(values, currentFolder), agentWords, currentFolder) };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    throw usageError(`${error.message}\n${usageOf(name)}`);
  }
}

/** The command line is wrong. The message does not say yet how it is right. */
class WrongUsage extends Error {}

function unknownCommand(given: string | undefined): WrongUsage {
  const problem = given === undefined ? 'There is no command.' : `There is no command ${given}.`;
  return new WrongUsage(`${problem} Use one of ${commandNames.join(', ')}. --help describes them.`);
}

function assertOwn(name: CommandName, given: { readonly name: string; readonly rawName: string }): void {
  const own: readonly string[] = commands[name].options;
  if (own.includes(given.name)) return;
  const list = own.map((option) => `--${option}`).join(', ');
  throw new WrongUsage(`${name} has no option ${given.rawName}. It has ${list}.`);
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // The first sentence of Node's message says what is wrong. The rest is about positional arguments.
    const [message = ''] = errorMessage(error).split(/\.(?:\s|$)/);
    throw new WrongUsage(`${message}.`);
  }
}

function valuesOf(given: ReturnType<typeof parse>['values'], folder: string): Values {
  const read = (name: OptionName, text: string | boolean) => {
    const { read, must }: Option = options[name];
    const value = typeof text === 'string' ? read?.(text, folder) : text;
    if (value !== undefined) return value;
    // A header may be a secret.
    const got = name === 'header' ? '' : `; got ${JSON.stringify(text)}`;
    throw new WrongUsage(`--${name} must ${must}${got}.`);
  };
  const values = optionNames.flatMap((name) => {
    const texts = given[name];
    if (texts === undefined) return [];
    return [[name, Array.isArray(texts) ? texts.map((text) => read(name, text)) : read(name, texts)]];
  });
  // Each value is what the reader of its option returned.
  return Object.fromEntries(values) as Values;
}

function invocationOf(
  name: CommandName,
  words: readonly string[],
  values: Values,
  agentWords: readonly string[] | undefined,
  currentFolder: string,
) {
  const agent = agentOf(name, values.agent, agentWords);
  const problem = problemOf(name, words, values, agent);
  if (problem) throw new WrongUsage(problem);
  const { protocol, cwd } = values;
  const path = (given: string) => resolve(currentFolder, given);
  return {
    command: name,
    /** The argument of the command. Empty if there is none. */
    argument: argumentOf(name, words),
    /** `undefined`: the demo agent, or all agents of the registry. */
    agent,
    /** For the agent at a URL. */
    headers: values.header ?? [],
    /** The environment variable with the token for the agent at a URL. */
    tokenVariable: values['token-env'],
    /** Whether the agent at a URL can use the files of this machine. */
    sharesFiles: values['share-files'] ?? false,
    format: formatOf(name, values.format),
    protocolVersion: protocol && (protocol === '1' ? (1 as const) : (2 as const)),
    traceFile: values.trace,
    timeoutMs: values.timeout,
    /** What `inspect` serves to a browser: an agent, or one or two recordings. `undefined`: it prints instead. */
    web: values.web ? { port: values.port, recordings: words.map(path) } : undefined,
    /** Absolute path, on the machine of the agent. */
    cwd: cwd === undefined ? undefined : isRemote(agent) ? remotePath(cwd) : path(cwd),
    settleMs: values.settle ?? 300,
    permit: values.permit ?? 'ask',
    /** Absolute paths of the directories below which edits are allowed. */
    allowEdits: values['allow-edits'] ?? [],
    /** The absolute path of the file for the summary. */
    summaryFile: values.summary,
    sessionId: values.session,
    /** Whether the transcript is recorded. */
    keepsTranscript: values.keep ?? false,
    /** Absolute path of the directory with transcripts. `undefined`: the one of the user. */
    transcriptFolder: values.directory,
    settings: values.set ?? [],
    /** Absolute paths of the files in the prompt. */
    files: values.file ?? [],
    /** Absolute paths of configurations with MCP servers. */
    mcpFiles: values.mcp ?? [],
  };
}

/** What is wrong with options that are right by themselves. */
function problemOf(
  name: CommandName,
  words: readonly string[],
  values: Values,
  agent: AgentChoice | undefined,
): string | undefined {
  const { web, port, cwd, keep, directory } = values;
  const remoteOnly = (['header', 'token-env', 'share-files'] as const).find((option) => values[option]);
  if (port && !web) return '--port needs --web.';
  if (name === 'inspect' && cwd && !web) return '--cwd needs --web: without it, inspect uses no directory.';
  if (name === 'inspect' && !web && words.length > 0)
    return 'A recording or a transcript needs --web. Without a browser, "fold" prints a recording, and "history print" a transcript. The command of the agent comes after --.';
  if (name === 'history' && words.length > 0)
    return `There is no command history ${words[0]}. Use one of history search, history print and history remove. "history print ID --format html" exports a transcript.`;
  if (web && (words.length > 2 || (words.length > 0 && agent)))
    return 'inspect --web shows an agent, a file, or two recordings to compare.';
  if (directory && !keep && !name.startsWith('history'))
    return '--directory needs --keep: it is where the transcript is recorded.';
  if (remoteOnly && !isRemote(agent))
    return `--${remoteOnly} is for an agent at a URL, such as -- https://example.com/acp.`;
  if (values['allow-edits'] && isRemote(agent) && !values['share-files'])
    return '--allow-edits looks at the files here: with an agent at a URL it needs --share-files.';
  return undefined;
}

function argumentOf(name: CommandName, words: readonly string[]): string {
  const { argument } = commands[name];
  if (argument?.name.startsWith('<') && !words[0]?.trim())
    throw new WrongUsage(`${name} needs ${argument.name}: ${argument.help}.`);
  const most = argument?.name.includes('…') ? Number.POSITIVE_INFINITY : argument ? 1 : 0;
  if (words.length <= most) return words.join(' ');
  const takes = argument ? 'one argument' : 'no argument';
  const quotes = argument ? ' Put quotes around spaces.' : '';
  const agent = runsAgent(name) ? ' The command of the agent comes after --.' : '';
  throw new WrongUsage(`${name} takes ${takes}, and got ${JSON.stringify(words[most])}.${quotes}${agent}`);
}

function agentOf(
  name: CommandName,
  registered: string | undefined,
  words: readonly string[] | undefined,
): AgentChoice | undefined {
  if (!words) return registered === undefined ? undefined : { name: registered };
  if (!runsAgent(name)) throw new WrongUsage(`${name} runs no agent: remove -- and what follows.`);
  if (registered !== undefined) throw new WrongUsage('--agent and a command after -- exclude each other.');
  const [command, ...args] = words;
  if (!command) throw new WrongUsage('The command of the agent is missing after --.');
  if (!/^(?:https?|wss?):\/\//i.test(command)) return { command, args };
  if (args.length > 0) throw new WrongUsage('A URL after -- is the whole agent: remove what follows.');
  return { url: command };
}

function isRemote(agent: AgentChoice | undefined): boolean {
  return agent !== undefined && 'url' in agent;
}

/** A directory on another machine, whose system can be another one. */
function remotePath(value: string): string {
  if (posix.isAbsolute(value) || win32.isAbsolute(value)) return value;
  throw new WrongUsage('--cwd must be an absolute path on the machine of the agent.');
}

function formatOf(name: CommandName, given = 'text'): Format {
  const { formats } = commands[name];
  const format = formats.find((known) => known === given);
  if (format) return format;
  throw new WrongUsage(`--format must be one of ${formats.join(', ')}; got ${JSON.stringify(given)}.`);
}
