import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../diagnostic.ts';
import { maxTimerMs } from '../wait.ts';
import {
  type CommandName,
  commandNamed,
  commandNames,
  type Format,
  formats,
  isCommandName,
  type OptionName,
  optionNames,
  options,
  type Permit,
  permits,
} from './grammar.ts';
import { nearest } from './nearest.ts';
import { WrongUsage } from './wrong-usage.ts';

/** The program to run as the agent. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A command line, understood. */
export interface Invocation {
  readonly command: CommandName;
  /** What the command is about; empty where it takes nothing. */
  readonly argument: string;
  /** Absent: the demo agent. */
  readonly agent: AgentCommand | undefined;
  readonly format: Format;
  readonly protocolVersion: 1 | 2 | undefined;
  readonly traceFile: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Absolute; absent where it was not given. */
  readonly cwd: string | undefined;
  readonly settleMs: number;
  readonly permit: Permit;
  readonly sessionId: string | undefined;
}

export type Request = { readonly show: 'help' | 'version' } | { readonly run: Invocation };

const defaultSettleMs = 300;

/**
 * Reads a command line.
 *
 * @param currentFolder - What a relative path is relative to.
 * @throws {@link WrongUsage} with what is wrong and what was likely meant.
 */
export function readArguments(argv: readonly string[], currentFolder: string): Request {
  const end = argv.indexOf('--');
  const ours = end === -1 ? argv : argv.slice(0, end);
  const { values, positionals } = parse(ours);
  if (values.help) return { show: 'help' };
  if (values.version) return { show: 'version' };
  const [name, ...args] = positionals;
  if (name === undefined) {
    throw new WrongUsage(`Name a command: ${commandNames.join(', ')}. --help tells more.`);
  }
  if (!isCommandName(name)) throw unknown('command', name, commandNames);
  refuseForeignOptions(name, values);
  return {
    run: {
      command: name,
      argument: argumentOf(name, args),
      agent: agentOf(name, end === -1 ? undefined : argv.slice(end + 1)),
      format: formatOf(name, values),
      protocolVersion: protocolVersionOf(values.protocol),
      traceFile: values.trace === undefined ? undefined : resolve(currentFolder, values.trace),
      timeoutMs: values.timeout === undefined ? undefined : milliseconds('timeout', values.timeout, 1),
      cwd: values.cwd === undefined ? undefined : resolve(currentFolder, values.cwd),
      settleMs: values.settle === undefined ? defaultSettleMs : milliseconds('settle', values.settle, 0),
      permit: oneOf('permit', values.permit ?? 'ask', permits),
      sessionId: values.session,
    },
  };
}

type Values = ReturnType<typeof parse>['values'];

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const { tokens } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: false,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind === 'option' && !optionNames.some((known) => known === token.name)) {
        throw unknown(
          'option',
          token.rawName,
          optionNames.map((known) => `--${known}`),
        );
      }
    }
    // Node says it well, and goes on about positional arguments after the first sentence.
    const [said = ''] = errorMessage(error).split(/\.\s/);
    throw new WrongUsage(`${said.replace(/\.?$/, '.')}`);
  }
}

function unknown(what: string, given: string, known: readonly string[]): WrongUsage {
  const meant = nearest(given, known);
  const hint = meant === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${meant}?`;
  return new WrongUsage(`There is no ${what} ${given}. ${hint}`);
}

function refuseForeignOptions(name: CommandName, values: Values): void {
  const { options: known } = commandNamed(name);
  const foreign = optionNames.find((option) => values[option] !== undefined && !known.includes(option));
  if (foreign === undefined) return;
  const takers = commandNames.filter((command) => commandNamed(command).options.includes(foreign));
  throw new WrongUsage(`${name} has no option --${foreign}: it is for ${takers.join(', ')}.`);
}

function argumentOf(name: CommandName, args: readonly string[]): string {
  const { argument } = commandNamed(name);
  const [given, extra] = args;
  if (!argument) {
    if (given === undefined) return '';
    throw new WrongUsage(
      `${name} takes no argument, and got ${JSON.stringify(given)}. The agent's command stands after --.`,
    );
  }
  if (given === undefined || given.trim() === '') {
    throw new WrongUsage(`${name} needs ${argument.name}: ${argument.is}.`);
  }
  if (extra !== undefined) {
    throw new WrongUsage(
      `${name} takes one argument, ${argument.name}, and got ${JSON.stringify(extra)} beside it. Put quotes around spaces; the agent's command stands after --.`,
    );
  }
  return given;
}

function agentOf(name: CommandName, words: readonly string[] | undefined): AgentCommand | undefined {
  if (!words) return undefined;
  if (!commandNamed(name).runsAgent)
    throw new WrongUsage(`${name} runs no agent: leave out what stands after --.`);
  const [command, ...args] = words;
  if (!command) throw new WrongUsage('After -- stands the command of the agent, and there is none.');
  return { command, args };
}

function formatOf(name: CommandName, { json, format }: Values): Format {
  const chosen = oneOf('format', format ?? (json ? 'json' : 'text'), formats);
  if (json && chosen !== 'json') throw new WrongUsage(`--json and --format ${chosen} exclude each other.`);
  const possible = commandNamed(name).formats;
  if (possible.includes(chosen)) return chosen;
  throw new WrongUsage(`${name} prints ${possible.join(' or ')}, and no ${chosen}.`);
}

function protocolVersionOf(value: string | undefined): 1 | 2 | undefined {
  if (value === undefined) return undefined;
  return oneOf('protocol', value, ['1', '2']) === '1' ? 1 : 2;
}

function oneOf<T extends string>(option: OptionName, value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw new WrongUsage(
    `--${option} is ${JSON.stringify(value)}: give ${allowed.join(', ').replace(/, ([^,]*)$/, ' or $1')}.`,
  );
}

function milliseconds(option: OptionName, value: string, least: number): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= maxTimerMs) return number;
  throw new WrongUsage(
    `--${option} is ${JSON.stringify(value)}: give a whole number of milliseconds from ${least} to ${maxTimerMs}.`,
  );
}
