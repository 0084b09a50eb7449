import { isJsonObject } from '../base/json.ts';
import { isWindows } from '../base/platform.ts';
import { printable } from '../base/printable.ts';
import { type ShellCommand, shellLine } from '../base/shell-line.ts';
import type { AgentKnowledge } from './agent-knowledge.ts';
import type { AuthMethod } from './dialect.ts';
import { readInitialize, terminalCommandIn } from './read-initialize.ts';

/** What is known about the login of an agent. */
export interface LoginFacts {
  /** The login methods that the agent offers. */
  readonly authMethods?: readonly AuthMethod[] | undefined;
  /** What the agent said when it refused a call: `agentMessage` of the error. */
  readonly agentMessage?: string | undefined;
  /** What it sent with that: `data` of the error. Some agents offer their methods there. */
  readonly data?: unknown;
  /** The name in `agentInfo`, and the id of the agent in the registry. */
  readonly names?: readonly (string | undefined)[] | undefined;
  /** How the agent is started, where the editor knows it. Methods of type `terminal` run the same program. */
  readonly program?: { readonly command: string; readonly args?: readonly string[] | undefined } | undefined;
  /** A page about the agent, such as `website` in the registry. */
  readonly website?: string | undefined;
  /** The shell in which the user runs commands. Default: `powershell` on Windows, otherwise `posix`. */
  readonly shell?: 'posix' | 'powershell' | 'cmd' | undefined;
}

/** How a user can log in at an agent. Texts of the agent are on one line and without control characters. */
export interface LoginAdvice {
  /**
   * Command lines for a terminal, ready to copy, the shortest for a login first. Each is quoted for the shell, sets the
   * variables of its method, and has no more than one command that the shell runs. They are what the agent says: show
   * them, and do not run them. A method whose arguments fit into no line, or whose program is not known, has none.
   */
  readonly commands: readonly string[];
  /** Environment variables, of which one must be set before the agent starts. */
  readonly variables: readonly string[];
  /** The methods that an editor performs, because they are neither a command nor a variable. */
  readonly methods: readonly AuthMethod[];
  /** All of it as sentences, in this order. */
  readonly text: string;
}

/** The ways of one method. */
type Ways = Pick<LoginAdvice, 'commands' | 'variables'>;

/** How the user can log in, with what is known about the agent. */
export function adviceWith(facts: LoginFacts, known: AgentKnowledge | undefined): LoginAdvice {
  const { agentMessage = '', website } = facts;
  const ways = offeredMethods(facts).map((method) => ({ method, ...waysOf(method, facts) }));
  const said = waysIn(agentMessage);
  const commands = [...ways.flatMap((way) => way.commands), ...said.commands];
  if (commands.length === 0) commands.push(...(known?.loginCommands ?? []));
  const variables = [
    ...ways.flatMap((way) => way.variables),
    ...said.variables,
    ...(known?.keyVariables ?? []),
  ];
  const methods = ways
    .filter((way) => way.commands.length === 0 && way.variables.length === 0)
    .map(({ method }) => method);
  const found = { commands: unique(commands), variables: unique(variables), methods };
  return { ...found, text: loginSentences(found, website) };
}

/** The methods that the agent offers, also those in the data of its error. */
export function offeredMethods({ authMethods = [], data }: LoginFacts): readonly AuthMethod[] {
  if (authMethods.length > 0 || !isJsonObject(data)) return authMethods;
  return readInitialize({ authMethods: data['authMethods'] ?? [] }).authMethods;
}

function waysOf(method: AuthMethod, facts: LoginFacts): Ways {
  const { type, vars = [], description } = method;
  const described = waysIn(description ?? '');
  const variables = type === 'env_var' ? vars.map(({ name }) => oneLine(name)) : described.variables;
  if (type !== 'terminal') return { commands: described.commands, variables };
  const { shell = isWindows ? 'powershell' : 'posix' } = facts;
  const words = wordsOf(method, facts);
  const line =
    words && !isBareInterpreter(words) ? shellLine(shell, { words, env: method.env ?? {} }) : undefined;
  // What is shown is what is copied.
  const isShown = line !== undefined && line.length <= maxLineLength && printable(line) === line;
  return { commands: isShown ? [...described.commands, line] : described.commands, variables: [] };
}

/** The program of a method that runs in a terminal, with its arguments. */
function wordsOf(
  { command, args = [], _meta }: AuthMethod,
  { program }: LoginFacts,
): ShellCommand['words'] | undefined {
  if (command !== undefined) return [command, ...args];
  if (program) return [program.command, ...(program.args ?? []), ...args];
  const whole = terminalCommandIn(_meta);
  return whole && [whole.command, ...whole.args];
}

/** Whether a command is a runtime without a file to run. Some agents name the runtime that they were started with. */
function isBareInterpreter([program, ...args]: ShellCommand['words']): boolean {
  const isInterpreter = /(?:^|[\\/])(?:node|bun|deno|python[\d.]*)(?:\.exe)?$/i.test(program);
  return isInterpreter && !args.some((arg) => /[\\/.:]/.test(arg));
}

/** A command in a text: in backticks after "run", or a program with `login`. A shell runs nothing else in it. */
const commandInText = /\brun (?:`([\w@%+:,./= -]{1,200})`|([\w.-]{1,40} login)\b)/gi;
const variableInText = /\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:KEY|TOKEN)\b/g;

/** What a text of the agent says to run or to set. */
function waysIn(text: string): Ways {
  const start = text.slice(0, 4000);
  return {
    commands: [...start.matchAll(commandInText)].map(([, quoted, bare]) => oneLine(quoted ?? bare ?? '')),
    variables: start.match(variableInText) ?? [],
  };
}

/** How many ways of one kind the text has. A page that is hostile could name thousands. */
const maxNamed = 4;

/** The ways to log in as sentences. Without a way: where to read about it. */
export function loginSentences(
  { commands, variables, methods }: Omit<LoginAdvice, 'text'>,
  website?: string,
): string {
  const sentences = [
    commands.length > 0 && `run in a terminal: ${listed(commands.map((command) => `\`${command}\``))}`,
    variables.length > 0 && `set ${listed(variables)}, and start the agent again`,
    methods.length > 0 && `log in from an editor: ${listed(methods.map(({ name }) => `"${oneLine(name)}"`))}`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) {
    const page =
      website === undefined ? 'as its documentation describes' : `as ${oneLine(website)} describes`;
    sentences.push(`log in with the program of the agent, or set its key, ${page}`);
  }
  return sentences
    .map((sentence, index) =>
      index > 0 ? `Or ${sentence}.` : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
    )
    .join(' ');
}

function listed(names: readonly string[]): string {
  return names.slice(0, maxNamed).join(' or ');
}

/** The longest line, in characters. */
const maxLineLength = 1000;

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).trim().slice(0, maxLineLength);
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ''))];
}
