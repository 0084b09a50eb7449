import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { errorMessage } from '../diagnostic.ts';
import { issuesOf } from '../issue.ts';
import { CommandError, exitCodes } from './errors.ts';
import {
  type AgentChoice,
  type CommandName,
  commandNames,
  commands,
  commandsWith,
  type Format,
  type Invocation,
  isCommandName,
  optionNames,
  options,
  usage,
  valueSchema,
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
  const end = argv.indexOf('--');
  const { values, positionals } = parse(end === -1 ? argv : argv.slice(0, end));
  const [name, ...args] = positionals;
  if (values.help)
    return { show: 'help', ...(name !== undefined && isCommandName(name) && { command: name }) };
  if (values.version) return { show: 'version' };
  if (name === undefined) {
    throw usageError(`Name a command: ${commandNames.join(', ')}. --help describes them.`);
  }
  if (!isCommandName(name)) throw unknownName('command', name, commandNames);
  checkOptionsOf(name, values);
  const argument = argumentOf(name, args);
  if (name === 'help') return helpOn(argument);
  const path = (value: string | undefined) =>
    value === undefined ? undefined : resolve(currentFolder, value);
  const command = agentOf(name, end === -1 ? undefined : argv.slice(end + 1));
  const registered = values.agent === undefined ? undefined : { name: values.agent };
  const needsAgent = commands[name].runsAgent && !commands[name].runsAll;
  if (values.registry !== undefined && needsAgent && !registered) {
    throw usageError('--registry needs --agent NAME.');
  }
  if (command && registered) throw usageError('--agent and a command after -- exclude each other.');
  const checked = v.safeParse(valueSchema, values);
  if (!checked.success) {
    const problems = issuesOf(checked.issues, '').map(
      ({ path, message }) => `--${path.replace(/\W.*/, '')} ${message}`,
    );
    throw usageError(`${problems.join('; ')}.`);
  }
  const { format, protocol, timeout, settle, permit, set } = checked.output;
  const paths = (given: readonly string[] = []) => given.map((value) => resolve(currentFolder, value));
  const opensSession = values.open === true || values.session !== undefined;
  if (name === 'inspect' && values.cwd !== undefined && !opensSession) {
    throw usageError('--cwd needs --open or --session: without a session, inspect uses no directory.');
  }
  return {
    run: {
      command: name,
      argument,
      agent: command ?? registered,
      registry: values.registry,
      format: formatOf(name, values.json, format),
      protocolVersion: protocol && (protocol === '1' ? 1 : 2),
      traceFile: path(values.trace),
      timeoutMs: timeout,
      isVerbose: values.verbose ?? false,
      opensSession,
      cwd: path(values.cwd),
      settleMs: settle,
      permit,
      sessionId: values.session,
      settings: set,
      files: paths(values.file),
      images: paths(values.image),
      mcpFiles: paths(values.mcp),
    },
  };
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
    throw usageError(`${message}.`);
  }
}

function checkOptionsOf(name: CommandName, values: Values): void {
  const own = commands[name].options;
  const foreign = optionNames.find((option) => values[option] !== undefined && !own.includes(option));
  if (foreign === undefined) return;
  throw usageError(`${name} has no option --${foreign}: it is for ${commandsWith(foreign).join(', ')}.`);
}

function argumentOf(name: CommandName, [given, extra]: readonly string[]): string {
  const { argument } = commands[name];
  if (argument?.required && !given?.trim())
    throw usageError(`${name} needs ${argument.name}: ${argument.help}.`);
  const unexpected = argument ? extra : given;
  if (unexpected === undefined) return given ?? '';
  throw usageError(
    `${name} takes ${argument ? 'one argument' : 'no argument'}, and got ${JSON.stringify(unexpected)}. ${
      argument ? 'Put quotes around spaces. ' : ''
    }The command of the agent comes after --.`,
  );
}

function agentOf(name: CommandName, words: readonly string[] | undefined): AgentChoice | undefined {
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

function usageError(message: string): CommandError {
  return new CommandError(`${message}\nUsage: ${usage}`, exitCodes.usage);
}
