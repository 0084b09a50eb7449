import { isJsonObject } from '../base/json.ts';
import { printable } from '../base/printable.ts';
import type { AuthMethod } from './dialect.ts';
import { knownAgent } from './known-agents.ts';
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
}

/** How a user can log in at an agent. Texts of the agent are on one line and without control characters. */
export interface LoginAdvice {
  /**
   * Command lines for a terminal, ready to copy, the shortest for a login first. They are what the agent says: show
   * them, and do not run them.
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

/**
 * How the user can log in, made from everything that is known: the methods of the agent with their descriptions, its
 * error, and for some agents a table of this library. The command to copy comes first, then the keys, then what only
 * an editor can do.
 *
 * @example
 * ```ts
 * const { authMethods, agentInfo } = connection;
 * const { text, commands } = loginAdvice({ authMethods, names: [agentInfo?.name] });
 * ```
 * @see https://agentclientprotocol.com/protocol/authentication
 */
export function loginAdvice(facts: LoginFacts): LoginAdvice {
  const { agentMessage = '', names = [], website } = facts;
  const offered = methodsOf(facts);
  const ways = offered.map((method) => ({ method, ...waysOf(method, facts) }));
  const said = waysIn(agentMessage);
  const known = knownAgent(
    names,
    offered.map(({ methodId }) => methodId),
  );
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

function methodsOf({ authMethods = [], data }: LoginFacts): readonly AuthMethod[] {
  if (authMethods.length > 0 || !isJsonObject(data)) return authMethods;
  return readInitialize({ authMethods: data['authMethods'] ?? [] }).authMethods;
}

function waysOf(method: AuthMethod, facts: LoginFacts): Ways {
  const { type, vars = [], description } = method;
  const described = waysIn(description ?? '');
  const variables = type === 'env_var' ? vars.map(({ name }) => oneLine(name)) : described.variables;
  if (type !== 'terminal') return { commands: described.commands, variables };
  return { commands: [...described.commands, commandOf(method, facts)], variables: [] };
}

/** The command line of a method that runs in a terminal. */
function commandOf({ command, args = [], _meta }: AuthMethod, { program }: LoginFacts): string {
  if (command !== undefined) return commandLine([command, ...args]);
  if (program) return commandLine([program.command, ...(program.args ?? []), ...args]);
  const whole = terminalCommandIn(_meta);
  if (whole) return commandLine([whole.command, ...whole.args]);
  return commandLine(["<the agent's command>", ...args]);
}

/** A command in a text: in backticks after "run", or a program with `login`. */
const commandInText = /\brun (?:`([^`\n]{1,200})`|([\w.-]{1,40} login)\b)/gi;
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

/** The words as one line, in quotes where a shell would divide them. */
function commandLine(words: readonly string[]): string {
  return oneLine(
    words.map((word) => (/^[^\s"'`$&|;<>()*?[\]{}\\]+$/.test(word) ? word : quoted(word))).join(' '),
  );
}

function quoted(word: string): string {
  return word.startsWith('<') ? word : JSON.stringify(word);
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).trim().slice(0, 1000);
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ''))];
}
