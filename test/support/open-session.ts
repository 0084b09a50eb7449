import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientHandlers } from '../../src/core/client/requests/handlers.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import type {
  Conversation,
  ConversationEntry,
  MessageEntry,
  ToolCallEntry,
} from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import type { ReceivedMessage, ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { type AgentScript, type Connected, connectTo, everything, follow } from './agents.ts';

/** A directory that exists: a local agent's session in another one is reported. */
export const cwd = process.cwd();

export interface OpenSessionOptions extends AgentScript {
  readonly handlers?: ClientHandlers;
  /** What the agent answers `initialize` with. Default: everything that the dialect knows is advertised. */
  readonly initialize?: JsonObject;
  /** What the agent answers `session/new` with, beside the id. */
  readonly opened?: JsonObject;
  readonly connect?: Partial<ConnectOptions>;
}

export interface Opened extends Connected {
  readonly session: Session;
  conversation(): Conversation;
}

/** Connects to a scripted agent and opens its session `s1`. */
export async function openSession(dialect: DialectName, options: OpenSessionOptions = {}): Promise<Opened> {
  const { initialize = everything[dialect], opened } = options;
  const connected = await connectedWith(initialize, options, (agent) => {
    agent.on('session/new', { sessionId: 's1', ...opened });
    follow(agent, options);
  });
  const session = await connected.connection.newSession({ cwd });
  return { ...connected, session, conversation: () => session.conversation };
}

/** Connects to a scripted agent that {@link flush} works with. */
export function connectFlushable(
  initialize: JsonObject,
  options: Omit<OpenSessionOptions, 'initialize' | 'opened'> = {},
): Promise<Connected> {
  return connectedWith(initialize, options, (agent) => follow(agent, options));
}

function connectedWith(
  initialize: JsonObject,
  { handlers = {}, connect }: Pick<OpenSessionOptions, 'handlers' | 'connect'>,
  script: (agent: ScriptedAgent) => unknown,
): Promise<Connected> {
  const extensions = { ...handlers.extensions, [flushMethod]: () => null };
  return connectTo(initialize, { ...connect, handlers: { ...handlers, extensions }, script });
}

const flushMethod = '_test/flush';

/** Resolves when the client has handled everything that the agent sent so far, and written what it had to. */
export async function flush(agent: ScriptedAgent): Promise<void> {
  await agent.request(flushMethod);
}

/** Sends updates of the session `s1`, and resolves when the client has handled them. */
export async function deliver(agent: ScriptedAgent, ...updates: readonly object[]): Promise<void> {
  agent.update('s1', ...updates);
  await flush(agent);
}

/** What the conversation of a session has after these updates, and what was reported of them. */
export async function foldedIn(dialect: DialectName, ...updates: readonly object[]) {
  const { agent, conversation, diagnostics } = await openSession(dialect);
  await deliver(agent, ...updates);
  return { conversation: conversation(), diagnostics };
}

/** Collects the events of a session from now on. */
export function eventsOf(session: Session): ConversationEvent[] {
  const events: ConversationEvent[] = [];
  session.onEvent((event) => events.push(event));
  return events;
}

/** Handlers of a user who never answers, and the signals that they were called with. */
export function undecided() {
  const signals: AbortSignal[] = [];
  const wait = (_request: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  return { signals, wait, handlers: { requestPermission: wait, elicit: { form: wait } } };
}

/** Makes a call, and gives it up when the agent has it. Resolves to the id of the call. */
export async function giveUp(
  agent: ScriptedAgent,
  method: string,
  call: (options: { readonly signal: AbortSignal }) => Promise<unknown>,
) {
  const user = new AbortController();
  const outcome = call({ signal: user.signal }).catch((reason: unknown) => reason);
  const { id = '' } = await agent.called(method, agent.calls(method).length + 1);
  user.abort('never mind');
  expect(await outcome).toBe('never mind');
  return id;
}

/** What the client called since `initialize` and, where that was done, `session/new`: no answers of its own. */
export function sent({ received }: ScriptedAgent): readonly ReceivedMessage[] {
  const calls = received.filter(({ method }) => method !== undefined && method !== 'initialize');
  return calls[0]?.method === 'session/new' ? calls.slice(1) : calls;
}

/** What the client called since `initialize`, opening sessions included. */
export function sentSinceInitialize({ received }: ScriptedAgent): readonly ReceivedMessage[] {
  return received.filter(({ method }) => method !== undefined && method !== 'initialize');
}

/** The answers that the client gave, but for those of {@link flush}. */
export function answers({ received }: ScriptedAgent): readonly ReceivedMessage[] {
  return received.filter(({ method, result }) => method === undefined && result !== null);
}

export function messages({ entries }: Pick<Conversation, 'entries'>): readonly MessageEntry[] {
  return entries.filter((entry): entry is MessageEntry => entry.kind === 'message');
}

export function toolCalls({ entries }: Conversation): readonly ToolCallEntry[] {
  return entries.filter((entry): entry is ToolCallEntry => entry.kind === 'toolCall');
}

/** The agent's calls for a terminal in the session `s1`. `run` starts a Node program, and returns its terminal. */
export function terminalCalls(agent: ScriptedAgent) {
  const call = async (method: string, params: object) => {
    const { result, error } = await agent.request(`terminal/${method}`, { sessionId: 's1', ...params });
    if (error) throw new Error(JSON.stringify(error));
    return result as Record<string, unknown>;
  };
  const run = async (script: string, more: object = {}) => {
    const args = ['-e', script];
    return String((await call('create', { command: process.execPath, args, ...more }))['terminalId']);
  };
  return { call, run };
}

/** The transcript in short: role and text of messages, id and status of tool calls, tag of what is unknown. */
export function outline({ entries }: Conversation): readonly string[] {
  return entries.map(inShort);
}

function inShort(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'message':
      return `${entry.role}: ${entry.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('|')}`;
    case 'sessionMessage':
      return `session message: ${textOf(entry)}`;
    case 'toolCall':
      return `${entry.toolCallId}: ${entry.status}`;
    case 'compaction':
      return `${entry.compactionId}: ${entry.status}`;
    case 'turnFailure':
      return `${entry.cause}: ${entry.reason}`;
    case 'unknown':
      return `?${entry.tag}`;
  }
}
