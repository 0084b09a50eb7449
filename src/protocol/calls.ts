import type { JsonObject } from '../json.ts';
import type { ContentBlock } from '../model/content.ts';
import type { Command, ConfigOption, Modes, SessionInfo } from '../model/session.ts';
import type { AgentMethod } from './method.ts';
import { same } from './normalize.ts';

/**
 * The calls of the client in no particular version: what goes in and what comes out. A dialect says for each which
 * method carries it and how, or that it has none.
 */

/** An MCP server that the agent shall connect to. */
export type McpServer =
  | {
      readonly type?: 'stdio';
      readonly name: string;
      /** Absolute. */
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: readonly { readonly name: string; readonly value: string }[];
      readonly _meta?: JsonObject | null;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers?: readonly { readonly name: string; readonly value: string }[];
      readonly _meta?: JsonObject | null;
    }
  /** @experimental */
  | {
      readonly type: 'acp';
      readonly name: string;
      readonly serverId: string;
      readonly _meta?: JsonObject | null;
    }
  /** A transport of the agent's own. Version 2 only. */
  | { readonly type: `_${string}`; readonly name: string; readonly [key: string]: unknown };

/** What the agent adds to, or puts in place of, its own instructions. @experimental */
export interface SystemPrompt {
  readonly mode: 'append' | 'override' | `_${string}`;
  readonly content: readonly ContentBlock[];
}

/**
 * What a session begins with.
 *
 * @see https://agentclientprotocol.com/protocol/session-setup
 */
export interface NewSessionParams {
  /** The folder to work in. Absolute. */
  readonly cwd: string;
  /**
   * The MCP servers that the agent shall connect to. Each needs the feature of its transport. Default: none.
   */
  readonly mcpServers?: readonly McpServer[];
  /** Folders beside `cwd`, absolute. They need `session.additionalDirectories`; an empty list is not sent. */
  readonly additionalDirectories?: readonly string[];
  readonly systemPrompt?: SystemPrompt;
  readonly _meta?: JsonObject;
}

/** Which session to open, and with what: a session does not remember its servers and folders. */
export interface OpenSessionParams extends NewSessionParams {
  readonly sessionId: string;
}

/** What the agent says of a session that it opened. */
export interface OpenedSession {
  readonly sessionId?: string;
  readonly modes?: Modes | null;
  readonly configOptions?: readonly ConfigOption[] | null;
  readonly commands?: readonly Command[];
}

/**
 * Which sessions to list.
 *
 * @see https://agentclientprotocol.com/protocol/session-list
 */
export interface ListSessionsParams {
  /** Only those of this folder. Absolute. Default: those of all folders. */
  readonly cwd?: string;
  /** Where to begin: the `nextCursor` of a page. Default: at the first. */
  readonly cursor?: string;
  /** @experimental */
  readonly archived?: 'exclude' | 'include' | 'only';
  readonly _meta?: JsonObject;
}

/** One page of the sessions that an agent knows. */
export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** Pass it on as it is; absent on the last page. An empty string is a cursor. */
  readonly nextCursor?: string;
}

export interface PromptParams {
  readonly sessionId: string;
  readonly prompt: readonly ContentBlock[];
  readonly _meta?: JsonObject;
}

/** What the answer to a prompt says: version 1 the end of the turn, version 2 the receipt. */
export interface PromptAnswer {
  readonly stopReason?: string;
  readonly messageId?: string;
  readonly usage?: JsonObject;
}

/** What a setting can hold: one of the values that it offers, or on and off. */
export type ConfigValue = string | boolean;

/** In, out, by the name of the call. `undefined` out: a notification. */
export interface Calls {
  newSession: [NewSessionParams, OpenedSession];
  loadSession: [OpenSessionParams, OpenedSession];
  resumeSession: [OpenSessionParams, OpenedSession];
  forkSession: [OpenSessionParams, OpenedSession];
  listSessions: [ListSessionsParams, SessionPage];
  closeSession: [{ readonly sessionId: string }, void];
  deleteSession: [{ readonly sessionId: string }, void];
  archiveSession: [{ readonly sessionId: string }, void];
  unarchiveSession: [{ readonly sessionId: string }, void];
  sessionStatus: [{ readonly sessionId: string }, { readonly status: string }];
  setSessionTitle: [{ readonly sessionId: string; readonly title: string }, { readonly title: string }];
  prompt: [PromptParams, PromptAnswer];
  cancel: [{ readonly sessionId: string }, undefined];
  setMode: [{ readonly sessionId: string; readonly modeId: string }, void];
  setConfigOption: [
    { readonly sessionId: string; readonly configId: string; readonly value: ConfigValue },
    { readonly configOptions?: readonly ConfigOption[] },
  ];
  cancelToolCall: [{ readonly sessionId: string; readonly toolCallId: string }, void];
  cancelTerminal: [{ readonly sessionId: string; readonly terminalId: string }, void];
  login: [{ readonly methodId: string }, void];
  logout: [Record<never, never>, void];
  authStatus: [Record<never, never>, AuthStatus];
  listProviders: [Record<never, never>, { readonly providers: readonly JsonObject[] }];
  setProvider: [
    {
      readonly providerId: string;
      readonly apiType: string;
      readonly baseUrl: string;
      readonly headers?: Readonly<Record<string, string>>;
    },
    void,
  ];
  disableProvider: [{ readonly providerId: string }, void];
}

/** Whether the agent is logged in, and as whom. @experimental */
export interface AuthStatus {
  readonly state: string;
  readonly accounts: readonly JsonObject[];
}

export type CallName = keyof Calls;

/** How a dialect makes one call. */
export interface Call<Input, Output, P = unknown, R = unknown> {
  readonly descriptor: AgentMethod<P, R>;
  /** From neutral to this dialect's parameters. What the dialect cannot say is left for its schema to refuse. */
  encode(input: Input): unknown;
  decode(result: R): Output;
}

/** Every call of a dialect; `undefined` where the dialect has none. */
export type CallTable = {
  readonly [K in CallName]: Call<Calls[K][0], Calls[K][1]> | undefined;
};

/** Describes one call. The table's type hides the wire types, which only the pair of `encode` and schema knows. */
export function call<Input, Output, P, R>(definition: Call<Input, Output, P, R>): Call<Input, Output> {
  // Sound: `decode` is only ever given what `descriptor.result` parsed.
  return definition as Call<Input, Output>;
}

/** Describes a call that says the same on the wire, and whose answer says the same in neutral words. */
export function query<Input, P, R>(descriptor: AgentMethod<P, R>): Call<Input, R> {
  return call<Input, R, P, R>({ descriptor, encode: same, decode: same });
}

/** Describes a call that says the same on the wire, and whose answer says nothing. */
export function command<Input, P, R>(descriptor: AgentMethod<P, R>): Call<Input, undefined> {
  return call({ descriptor, encode: same, decode: nothing });
}

/** For the calls whose answer says nothing. */
export function nothing(): undefined {}

/** What the agent says of the login, which may be without accounts. */
export function authStatus({
  state,
  accounts = [],
}: Partial<AuthStatus> & Pick<AuthStatus, 'state'>): AuthStatus {
  return { state, accounts };
}

/** The methods that a dialect's calls are made with. */
export function descriptorsOf(calls: CallTable): readonly AgentMethod[] {
  return Object.values(calls).flatMap((each) => (each ? [each.descriptor] : []));
}
