import type { JsonObject } from '../base/json.ts';
import type { ContentBlockInput } from '../model/content.ts';
import type { McpServerConfig, SessionMcpServer } from '../model/mcp-server.ts';
import type { OpenedSession, PromptAnswer, SystemPrompt } from '../model/opening.ts';
import type { ConfigOption, SessionInfo, SessionModes, SlashCommand } from '../model/session.ts';
import type { AgentMethod } from './method.ts';
import { identity } from './normalize.ts';

/**
 * The client's calls in the version-neutral model: their input and their output. Each dialect maps a call to a
 * method, or does not have it.
 */

/** The value of a config option with which a session starts. @experimental */
export interface InitialConfigOption {
  /** The `configId` of a config option, which is the `settingId` of its setting. */
  readonly configId: string;
  readonly value: ConfigValue;
  readonly _meta?: JsonObject | undefined;
}

/**
 * The session of which the options are asked.
 *
 * @experimental
 */
export interface SessionOptionsParams {
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** Additional directories, absolute paths. They need `session.additionalDirectories`. An empty list is not sent. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** A session that the agent keeps: what it would have after it was opened again. Default: a new session. */
  readonly sessionId?: string | undefined;
  readonly _meta?: JsonObject | undefined;
}

/**
 * What a session would start with. It can be passed to `settingsOf`.
 *
 * @experimental
 */
export interface SessionOptions {
  readonly configOptions: readonly ConfigOption[];
  /** Only in version 1. */
  readonly modes: SessionModes | null;
  readonly models: null;
  /** The commands that the agent knows already. Only in version 2. */
  readonly commands: readonly SlashCommand[];
  readonly _meta?: JsonObject;
}

/**
 * The parameters of a new session.
 *
 * @see https://agentclientprotocol.com/protocol/session-setup
 */
export interface NewSessionParams<Server = SessionMcpServer> {
  /** The working directory, an absolute path. */
  readonly cwd: string;
  /** The MCP servers that the agent should connect to. Each needs the feature of its transport. Default: none. */
  readonly mcpServers?: readonly Server[] | undefined;
  /** Additional directories, absolute paths. They need `session.additionalDirectories`. An empty list is not sent. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /**
   * Instructions for the model at the level of the system. They need `session.systemPrompt`, and with the mode `override`
   * also `session.systemPrompt.override`. A restart sends them again. Default: the agent's own system prompt.
   *
   * @see https://agentclientprotocol.com/protocol/v1/session-setup#system-prompt
   */
  readonly systemPrompt?: SystemPrompt | undefined;
  /**
   * The values of config options with which the session starts. They need `session.options`. The agent ignores an
   * option that it does not have and a value that it does not allow: read the settings of the session. Default: the
   * agent's own values.
   *
   * @experimental
   */
  readonly configOptions?: readonly InitialConfigOption[] | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** The session to open, and its parameters. Agents do not store the servers and directories of a session. */
export interface OpenSessionParams<Server = SessionMcpServer> extends NewSessionParams<Server> {
  readonly sessionId: string;
}

/** The session to copy. */
export interface ForkSessionParams<Server = SessionMcpServer> extends OpenSessionParams<Server> {
  /**
   * A cursor of `conversation.cursors` that the copy ends at. Its capabilities must have `fork`. Default: the whole session
   * is copied.
   *
   * @experimental
   * @see https://agentclientprotocol.com/rfds/session-cursors
   */
  readonly cursorId?: string | undefined;
}

/**
 * The sessions to list.
 *
 * @see https://agentclientprotocol.com/protocol/session-list
 */
export interface ListSessionsParams {
  /** Only sessions with this working directory, an absolute path. Default: all sessions. */
  readonly cwd?: string | undefined;
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string | undefined;
  /** @experimental */
  readonly archived?: 'exclude' | 'include' | 'only' | undefined;
  readonly _meta?: JsonObject | undefined;
}

/** One page of a list of sessions. */
export interface SessionPage {
  readonly sessions: readonly SessionInfo[];
  /** The cursor of the next page. Absent on the last page. An empty string is a valid cursor. */
  readonly nextCursor?: string;
  readonly _meta?: JsonObject;
}

export interface PromptParams extends SessionParams {
  readonly prompt: readonly ContentBlockInput[];
  /** Version 2 only. */
  readonly idempotencyKey?: string;
}

/** What the agent did with a message for the running turn. */
export interface SteerAnswer {
  /**
   * - `injected`: the running turn gets it
   * - `startedNewTurn`: no turn ran, and the agent has begun one by itself
   * - `promptRequired`: no turn ran, and the agent did not take the message
   * - `failed`: the agent did not take the message into the turn that runs
   */
  readonly outcome: 'injected' | 'startedNewTurn' | 'promptRequired' | 'failed';
  /** The id under which the agent will report the message. */
  readonly messageId?: string;
}

/** The value of a config option: the id of a choice, or a boolean. */
export type ConfigValue = string | boolean;

interface Meta {
  readonly _meta?: JsonObject;
}

export interface SessionParams extends Meta {
  readonly sessionId: string;
}

/** The input and output of each call. The output `undefined` means a notification. */
export interface Calls {
  newSession: [NewSessionParams<McpServerConfig>, OpenedSession];
  loadSession: [OpenSessionParams<McpServerConfig>, OpenedSession];
  resumeSession: [OpenSessionParams<McpServerConfig>, OpenedSession];
  forkSession: [ForkSessionParams<McpServerConfig>, OpenedSession];
  sessionOptions: [SessionOptionsParams, SessionOptions];
  listSessions: [ListSessionsParams, SessionPage];
  closeSession: [SessionParams, void];
  deleteSession: [SessionParams, void];
  prompt: [PromptParams, PromptAnswer];
  /** With the extension of some agents. */
  steer: [PromptParams, SteerAnswer];
  /** With the method of the protocol. */
  inject: [PromptParams, SteerAnswer];
  /** Takes back a message that was injected. */
  revoke: [SessionParams & { readonly messageId: string }, void];
  cancel: [SessionParams, undefined];
  setMode: [SessionParams & { readonly modeId: string }, void];
  setModel: [SessionParams & { readonly modelId: string }, void];
  setConfigOption: [
    SessionParams & { readonly configId: string; readonly value: ConfigValue },
    { readonly configOptions?: readonly ConfigOption[]; readonly _meta?: JsonObject },
  ];
  cancelToolCall: [SessionParams & { readonly toolCallId: string }, void];
  cancelTerminal: [SessionParams & { readonly terminalId: string }, void];
  login: [Meta & { readonly methodId: string }, void];
  logout: [Meta, void];
}

/** The agent's login state. @experimental */
export interface AuthStatus {
  readonly state: string;
  readonly accounts: readonly JsonObject[];
}

export type CallName = keyof Calls;

/** How one dialect makes a call. */
export interface Call<Input, Output, P = unknown, R = unknown> {
  readonly descriptor: AgentMethod<P, R>;
  /** Converts the input to the parameters of this dialect. The schema rejects what the dialect does not have. */
  encode(input: Input): unknown;
  /** Converts a parsed result to the output. */
  decode(result: R): Output;
}

/** The calls of a dialect. `undefined`: the dialect does not have the call. */
export type CallTable = {
  readonly [K in CallName]: Call<Calls[K][0], Calls[K][1]> | undefined;
};

/** Describes a call. The result type hides the wire types, which differ between dialects. */
export function call<Input, Output, P, R>(definition: Call<Input, Output, P, R>): Call<Input, Output> {
  // `decode` is only called with what `descriptor.result` parsed.
  return definition as Call<Input, Output>;
}

/** Describes a call whose input is equal on the wire, and which has no output. */
export function command<Input, P, R>(descriptor: AgentMethod<P, R>): Call<Input, undefined> {
  return call({ descriptor, encode: identity, decode: () => undefined });
}

/** The methods that the calls of a dialect use. */
export function descriptorsOf(calls: CallTable): readonly AgentMethod[] {
  return Object.values(calls).flatMap((each) => (each ? [each.descriptor] : []));
}
