import { preview } from '../diagnostic.ts';
import { InvalidParamsError } from '../errors.ts';
import type { DialectName } from '../protocol/dialect.ts';
import { maxTimerMs } from '../wait.ts';
import type { ConnectOptions } from './connect.ts';
import type { ClientHandlers, TerminalHandlers } from './handlers.ts';
import type { ReconnectOptions } from './reconnect.ts';

type Names<T> = { readonly [K in keyof Required<T>]: true };

/** Every option, for telling a misspelt one. The compiler asks for a line for each. */
const optionNames: Names<ConnectOptions> = {
  clientInfo: true,
  handlers: true,
  protocolVersions: true,
  dialect: true,
  terminalLogin: true,
  onAuthRequired: true,
  reconnect: true,
  initializeTimeoutMs: true,
  initializeLimitMs: true,
  stallAfterMs: true,
  signal: true,
  onDiagnostic: true,
  trace: true,
};

/** What a number of `reconnect` must be at the most. */
const reconnectLimits: { readonly [K in keyof Required<ReconnectOptions>]: number } = {
  maxAttempts: Number.POSITIVE_INFINITY,
  firstDelayMs: maxTimerMs,
  maxDelayMs: maxTimerMs,
};

const dialectNames: { readonly [K in DialectName]: true } = {
  v1: true,
  'v2-markers': true,
  'v2-baseline': true,
};

/** What a handler must be: the methods of an object, or a function. */
const handlerKinds: { readonly [K in keyof Required<ClientHandlers>]: 'function' | 'object' } = {
  requestPermission: 'function',
  readTextFile: 'function',
  writeTextFile: 'function',
  terminals: 'object',
  elicit: 'object',
  mcpMessage: 'function',
  authStatusChanged: 'function',
  extensions: 'object',
};

const terminalNames: Names<Omit<TerminalHandlers, 'close'>> = {
  create: true,
  output: true,
  waitForExit: true,
  kill: true,
  release: true,
};

const elicitNames: Names<NonNullable<ClientHandlers['elicit']>> = { form: true, url: true, completed: true };

/**
 * Checks what `connect` was called with. A misspelt handler would be one that is never called, and nobody told.
 *
 * @throws {@link InvalidParamsError}
 */
export function assertConnect(agent: unknown, options: ConnectOptions): void {
  if (typeof agent !== 'function') assertAgent(agent);
  if (typeof options !== 'object' || options === null) {
    refuse(
      `the options are ${preview(options)}; give at least { clientInfo: { name: 'my-editor', version: '1.0.0' } }`,
    );
  }
  assertNamed('option', options, optionNames);
  const {
    clientInfo,
    protocolVersions: offered = [2, 1],
    dialect,
    handlers,
    reconnect,
    signal,
    trace,
  } = options;
  if (typeof clientInfo?.name !== 'string' || typeof clientInfo.version !== 'string') {
    refuse("clientInfo must name the editor, as in { name: 'my-editor', version: '1.0.0' }");
  }
  if (!Array.isArray(offered) || offered.length === 0 || offered.some((one) => one !== 1 && one !== 2)) {
    refuse(`protocolVersions is ${preview(offered)}; give a list of 1, 2 or both`);
  }
  if (dialect !== undefined && !Object.hasOwn(dialectNames, dialect)) {
    refuse(`dialect is ${preview(dialect)}; give one of ${Object.keys(dialectNames).join(', ')}, or none`);
  }
  for (const name of ['initializeTimeoutMs', 'initializeLimitMs', 'stallAfterMs'] as const) {
    const ms = options[name];
    if (ms === undefined || (typeof ms === 'number' && ms > 0)) continue;
    refuse(`${name} is ${preview(ms)}; give a number of milliseconds above 0, or Infinity`);
  }
  if (reconnect) assertReconnect(reconnect);
  if (reconnect && typeof agent !== 'function') {
    refuse(
      'to reconnect, the agent must be started again: give connect a function, as in connect(() => spawnAgent(…), …)',
    );
  }
  if (trace !== undefined && typeof trace?.write !== 'function') {
    refuse(`trace is ${preview(trace)}; give an object with write, which takes each record`);
  }
  for (const name of ['onAuthRequired', 'onDiagnostic'] as const) {
    const listener: unknown = options[name];
    if (listener === undefined || typeof listener === 'function') continue;
    refuse(`${name} is ${preview(listener)}; give a function`);
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    refuse(`signal is ${preview(signal)}; give the signal of an AbortController`);
  }
  if (handlers !== undefined) assertHandlers(handlers);
}

/** @throws {@link InvalidParamsError} if there is nothing to talk to. */
export function assertAgent(agent: unknown): void {
  if (isChannel(agent)) return;
  refuse(
    `the agent is ${preview(agent)}; give what spawnAgent returned, or a function that starts an agent and returns it`,
  );
}

function assertReconnect(reconnect: ReconnectOptions): void {
  if (typeof reconnect !== 'object') {
    refuse(`reconnect is ${preview(reconnect)}; give an object, {} for the defaults`);
  }
  assertNamed('option in reconnect', reconnect, reconnectLimits);
  for (const [name, most] of Object.entries(reconnectLimits)) {
    const given: unknown = Reflect.get(reconnect, name);
    if (given === undefined || (typeof given === 'number' && given >= 0 && given <= most)) continue;
    refuse(`${name} in reconnect is ${preview(given)}; give a number from 0 to ${most}`);
  }
}

function assertHandlers(handlers: ClientHandlers): void {
  if (typeof handlers !== 'object' || handlers === null) {
    refuse(`handlers is ${preview(handlers)}; give an object with ${listOf(handlerKinds)}`);
  }
  // An object of a class of the editor's own may have what it likes beside its handlers.
  if (isPlain(handlers)) assertNamed('handler', handlers, handlerKinds);
  for (const [name, kind] of Object.entries(handlerKinds)) {
    const handler: unknown = Reflect.get(handlers, name);
    if (handler === undefined || (typeof handler === kind && handler !== null)) continue;
    const due = kind === 'function' ? 'a function' : 'an object of functions';
    refuse(`the handler ${name} is ${preview(handler)}; give ${due}`);
  }
  const { terminals, elicit, extensions } = handlers;
  if (terminals) assertMethods('terminals', terminals, Object.keys(terminalNames));
  if (elicit && isPlain(elicit)) assertNamed('handler in elicit', elicit, elicitNames);
  if (elicit) assertMethods('elicit', elicit, definedOf(elicit, elicitNames));
  if (!extensions) return;
  const misnamed = Object.keys(extensions).find((name) => !name.startsWith('_'));
  if (misnamed !== undefined) {
    refuse(
      `the extension ${JSON.stringify(misnamed)} cannot be handled; names of methods outside the protocol begin with "_"`,
    );
  }
  assertMethods('extensions', extensions, definedOf(extensions, extensions));
}

function isChannel(agent: unknown): boolean {
  return typeof agent === 'object' && agent !== null && 'reader' in agent && 'writer' in agent;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function definedOf(object: object, names: object): readonly string[] {
  return Object.keys(names).filter((name) => Reflect.get(object, name) !== undefined);
}

function assertMethods(where: string, object: object, names: readonly string[]): void {
  for (const name of names) {
    const method: unknown = Reflect.get(object, name);
    if (typeof method !== 'function') {
      refuse(`the handler ${name} in ${where} is ${preview(method)}; give a function`);
    }
  }
}

function assertNamed(what: string, given: object, names: object): void {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(names, key));
  if (unknown === undefined) return;
  refuse(`there is no ${what} ${JSON.stringify(unknown)}; there are ${listOf(names)}`);
}

function listOf(names: object): string {
  return Object.keys(names).join(', ');
}

function refuse(why: string): never {
  throw new InvalidParamsError(`connect: ${why}. Nothing was sent.`);
}
