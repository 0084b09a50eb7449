import { posix, resolve, win32 } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { errorMessage } from '../../base/diagnostic.ts';
import { issuesOf } from '../../base/issue.ts';
import type { PruneOptions } from '../../transcripts/prune.ts';
import { CommandError, usageError } from './errors.ts';
import type { Format } from './formats.ts';
import { usageOf } from './help.ts';
import {
  type ActionName,
  type Argument,
  actionNames,
  actions,
  actionsWith,
  foreignOption,
  isActionName,
} from './history-actions.ts';
import { valueSchema } from './option-values.ts';
import {
  type AgentChoice,
  type CommandName,
  commandNames,
  commands,
  commandsWith,
  type Invocation,
  isCommandName,
  optionNames,
  options,
  runsAgent,
} from './options.ts';

export type Request =
  /** `command`: the help of this command. */
  | { readonly show: 'help'; readonly command?: CommandName }
  | { readonly show: 'version' }
  | { readonly run: Invocation };

/**
 * Parses a command line.
 *
 * @param currentFolder - The base of relative paths.
 * @throws {@link CommandError} if it is wrong.
 */
export function readArguments(argv: readonly string[], currentFolder: string): Request {
  if (argv.length === 0) return { show: 'help' };
  try {
    return read(argv, currentFolder);
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    throw usageError(`${error.message}\n${usageOf(commandIn(argv))}`);
  }
}

/** The command line is wrong. The message does not say yet how it is right. */
class WrongUsage extends Error {}

/** The command of a line that may be wrong in other places. */
function commandIn(argv: readonly string[]): CommandName | undefined {
  const end = argv.indexOf('--');
  const args = [...(end === -1 ? argv : argv.slice(0, end))];
  const [name] = parseArgs({ args, options, allowPositionals: true, strict: false }).positionals;
  return name !== undefined && isCommandName(name) ? name : undefined;
}

function read(argv: readonly string[], currentFolder: string): Request {
  const end = argv.indexOf('--');
  const { values, positionals } = parse(end === -1 ? argv : argv.slice(0, end));
  const [name, ...args] = positionals;
  if (values.help)
    return { show: 'help', ...(name !== undefined && isCommandName(name) && { command: name }) };
  if (values.version) return { show: 'version' };
  if (name === undefined) {
    throw new WrongUsage(`Name a command: ${commandNames.join(', ')}. --help describes them.`);
  }
  if (!isCommandName(name)) throw unknownName('command', name, commandNames);
  checkOptionsOf(name, values);
  const web = values.web === true;
  const isInspect = name === 'inspect';
  const shown = web ? recordingsOf(args, end === -1 ? [] : argv.slice(end + 1)) : undefined;
  if (isInspect && !web && args.length > 0) {
    const got = JSON.stringify(args[0]);
    throw new WrongUsage(
      `inspect takes no argument, and got ${got}. The command of the agent comes after --. A recording or a transcript needs --web. Without a browser, "fold" prints a recording, and "history print" a transcript.`,
    );
  }
  if (values.port !== undefined && !web) throw new WrongUsage('--port needs --web.');
  if (values.directory !== undefined && name !== 'history' && !values.keep) {
    throw new WrongUsage('--directory needs --keep: it is where the transcript is recorded.');
  }
  const action = name === 'history' ? actionOf(args, values) : undefined;
  const argument = action
    ? argumentOf(`history ${action}`, actions[action].argument, args.slice(1))
    : argumentOf(name, commands[name].argument, isInspect ? [] : args);
  if (name === 'help') return helpOn(argument);
  const path = (value: string | undefined) =>
    value === undefined ? undefined : resolve(currentFolder, value);
  const hasAgent = end !== -1 && !shown?.isAfterDashes;
  const command = agentOf(name, hasAgent ? argv.slice(end + 1) : undefined);
  const registered = values.agent === undefined ? undefined : { name: values.agent };
  const needsAgent = runsAgent(name) && !commands[name].runsAll;
  if (values.registry !== undefined && needsAgent && !registered) {
    throw new WrongUsage('--registry needs --agent NAME.');
  }
  if (command && registered) throw new WrongUsage('--agent and a command after -- exclude each other.');
  const agent = command ?? registered;
  const isRemote = agent !== undefined && 'url' in agent;
  const remoteOnly = remoteOptions.find((option) => values[option] !== undefined);
  if (remoteOnly !== undefined && !isRemote) {
    throw new WrongUsage(`--${remoteOnly} is for an agent at a URL, such as -- https://example.com/acp.`);
  }
  if (values['allow-edits'] && isRemote && !values['share-files']) {
    throw new WrongUsage(
      '--allow-edits looks at the files here: with an agent at a URL it needs --share-files.',
    );
  }
  const checked = v.safeParse(valueSchema, values);
  if (!checked.success) {
    const problems = issuesOf(checked.issues, '').map(
      ({ path, message }) => `--${path.replace(/[^\w-].*/, '')} ${message}`,
    );
    throw new WrongUsage(`${problems.join('; ')}.`);
  }
  const { format, protocol, timeout, settle, permit, set, header, port } = checked.output;
  const paths = (given: readonly string[] = []) => given.map((value) => resolve(currentFolder, value));
  const opensSession = values.open === true || values.session !== undefined;
  if (isInspect && values.cwd !== undefined && !opensSession && !web) {
    throw new WrongUsage('--cwd needs --open or --session: without a session, inspect uses no directory.');
  }
  return {
    run: {
      command: name,
      action,
      argument,
      agent,
      registry: values.registry,
      headers: header,
      tokenVariable: values['token-env'],
      sharesFiles: values['share-files'] ?? false,
      format: action
        ? formatOf(`history ${action}`, actions[action].formats, values.json, format)
        : formatOf(name, commands[name].formats, values.json, format),
      protocolVersion: protocol && (protocol === '1' ? 1 : 2),
      traceFile: path(values.trace),
      timeoutMs: timeout,
      isVerbose: values.verbose ?? false,
      opensSession,
      web: shown && { port, recordings: paths(shown.files) },
      cwd: isRemote ? remotePath(values.cwd) : path(values.cwd),
      settleMs: settle,
      permit,
      allowEdits: paths(values['allow-edits']),
      summaryFile: path(values.summary),
      sessionId: values.session,
      keepsTranscript: values.keep ?? false,
      transcriptFolder: path(values.directory),
      pruned: pruneOptions(checked.output),
      settings: set,
      files: paths(values.file),
      images: paths(values.image),
      mcpFiles: paths(values.mcp),
    },
  };
}

/** The recordings that the inspector shows: before `--`, or after it instead of an agent. */
function recordingsOf(before: readonly string[], after: readonly string[]) {
  const isRecordings = after.length > 0 && after.every((word) => /\.(?:ndjson|jsonl|json)$/.test(word));
  const files = [...before, ...(isRecordings ? after : [])];
  if (files.length > 2) throw new WrongUsage('inspect --web compares two recordings, and not more.');
  if (files.length > 0 && after.length > 0 && !isRecordings) {
    throw new WrongUsage('inspect --web shows an agent or recordings, and not both.');
  }
  return { files, isAfterDashes: isRecordings };
}

function helpOn(name: string): Request {
  if (name === '') return { show: 'help' };
  if (isCommandName(name)) return { show: 'help', command: name };
  throw unknownName('command', name, commandNames);
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
    throw new WrongUsage(`${message}.`);
  }
}

function checkOptionsOf(name: CommandName, values: Values): void {
  const own = commands[name].options;
  const foreign = optionNames.find((option) => values[option] !== undefined && !own.includes(option));
  if (foreign === undefined) return;
  throw new WrongUsage(`${name} has no option --${foreign}: it is for ${commandsWith(foreign).join(', ')}.`);
}

function actionOf([given = 'list']: readonly string[], values: Values): ActionName {
  if (!isActionName(given)) throw unknownName('action', given, actionNames);
  const foreign = foreignOption(given, (option) => values[option] !== undefined);
  if (foreign !== undefined) {
    const owners = actionsWith(foreign).map((name) => `history ${name}`);
    throw new WrongUsage(`history ${given} has no option --${foreign}: it is for ${owners.join(', ')}.`);
  }
  const own = actions[given].options.map((option) => `--${option}`);
  if (given === 'prune' && !own.some((option) => option.slice(2) in values))
    throw new WrongUsage(`history prune needs at least one of ${own.join(', ')}.`);
  return given;
}

const dayMs = 24 * 60 * 60 * 1000;
const megabyte = 1_000_000;

function pruneOptions(values: v.InferOutput<typeof valueSchema>): PruneOptions {
  const { 'older-than': days, 'max-size': megabytes, 'keep-last': keep } = values;
  return {
    ...(days !== undefined && { olderThan: new Date(Date.now() - days * dayMs) }),
    ...(megabytes !== undefined && { maxBytes: megabytes * megabyte }),
    ...(keep !== undefined && { keep }),
  };
}

/** @param what - The command, or the command and its action. */
function argumentOf(what: string, argument: Argument | undefined, words: readonly string[]): string {
  const takesAll = argument?.name.includes('…') === true;
  const [given, extra] = takesAll ? [words.join(' ')] : words;
  if (argument?.name.startsWith('<') && !given?.trim())
    throw new WrongUsage(`${what} needs ${argument.name}: ${argument.help}.`);
  const unexpected = argument ? extra : given;
  if (unexpected === undefined) return given ?? '';
  throw new WrongUsage(
    `${what} takes ${argument ? 'one argument' : 'no argument'}, and got ${JSON.stringify(unexpected)}. ${
      argument ? 'Put quotes around spaces. ' : ''
    }The command of the agent comes after --.`,
  );
}

function agentOf(name: CommandName, words: readonly string[] | undefined): AgentChoice | undefined {
  if (!words) return undefined;
  if (!runsAgent(name)) throw new WrongUsage(`${name} runs no agent: remove -- and what follows.`);
  const [command, ...args] = words;
  if (!command) throw new WrongUsage('The command of the agent is missing after --.');
  if (!/^(?:https?|wss?):\/\//i.test(command)) return { command, args };
  if (args.length > 0) throw new WrongUsage('A URL after -- is the whole agent: remove what follows.');
  return { url: command };
}

/** The options that need the agent at a URL. */
const remoteOptions = ['header', 'token-env', 'share-files'] as const;

/** A directory on another machine, whose system can be another one. */
function remotePath(value: string | undefined): string | undefined {
  if (value === undefined || posix.isAbsolute(value) || win32.isAbsolute(value)) return value;
  throw new WrongUsage('--cwd must be an absolute path on the machine of the agent.');
}

function formatOf(
  what: string,
  possible: readonly Format[],
  json: boolean | undefined,
  format: Format | undefined,
): Format {
  const chosen = format ?? (json ? 'json' : 'text');
  if (json && chosen !== 'json') throw new WrongUsage(`--json and --format ${chosen} exclude each other.`);
  if (possible.includes(chosen)) return chosen;
  throw new WrongUsage(`${what} prints ${possible.join(' or ')}, not ${chosen}.`);
}

function unknownName(
  kind: 'command' | 'action' | 'option',
  given: string,
  names: readonly string[],
): WrongUsage {
  const [nearest] = names
    .map((name) => ({ name, likeness: likeness(given, name) }))
    .sort((a, b) => b.likeness - a.likeness);
  const hint =
    nearest && nearest.likeness > 0.7 ? `Did you mean ${nearest.name}?` : `Use one of ${names.join(', ')}.`;
  return new WrongUsage(`There is no ${kind} ${given}. ${hint}`);
}

/**
 * Share of the characters that two names have in common, in the same order: 0 to 1. Not with `diff`: help and errors
 * would load that package, which takes longer than the rest of them.
 */
function likeness(given: string, name: string): number {
  // How many characters of `given` so far are in the first 0, 1, 2 … characters of `name`, in the same order.
  let shared = Array.from({ length: name.length + 1 }, () => 0);
  for (const char of given.slice(0, 40)) {
    const next = [0];
    for (const [index, other] of [...name].entries()) {
      const before = shared[index] ?? 0;
      next.push(char === other ? before + 1 : Math.max(shared[index + 1] ?? 0, next[index] ?? 0));
    }
    shared = next;
  }
  return (2 * (shared.at(-1) ?? 0)) / (given.length + name.length);
}
