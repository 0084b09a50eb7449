import * as v from 'valibot';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { callback, optional, optionsObject } from '../../base/options.ts';
import type { ProcessExit } from '../../base/process-exit.ts';
import type { ConversationTerminal, ToolCallEntry } from '../../model/conversation.ts';
import type { McpMessage, McpMessageAnswer } from '../../model/mcp-server.ts';
import type { PermissionOption } from '../../model/permission.ts';
import type { AuthStatus } from '../../protocol/calls.ts';
import type { PermissionSubject } from '../../protocol/normalize.ts';
import type { Session } from '../session/session.ts';
import type { Subagent } from '../session/subagent.ts';

/** The `_meta` of a request, as the context of its handler has it. */
export function metaOf(params: unknown): { readonly meta?: JsonObject } {
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  return isJsonObject(meta) ? { meta } : {};
}

/** The context of a request. Every handler receives it. */
export interface HandlerContext {
  /** The session that the request belongs to. */
  readonly session: Session;
  /** The subagent that sent the request. Absent if the session itself sent it. */
  readonly subagent?: Subagent;
  /** The `_meta` of the request. */
  readonly meta?: JsonObject;
  /**
   * Aborted when the answer is no longer needed: the agent withdrew the request, the user cancelled, or the connection
   * ended.
   */
  readonly signal: AbortSignal;
}

/** The context of an extension method. `session` is set if the parameters name an open session. */
export interface ExtensionContext {
  readonly session: Session | undefined;
  readonly signal: AbortSignal;
}

/**
 * A request for permission. Show the agent's options with their names.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
 */
export interface PermissionRequest {
  /** The question. `null` if neither the request nor the tool call has a title. */
  readonly title: string | null;
  /** A description of the request, if the agent sends one. */
  readonly description: string | null;
  /** The tool call as the conversation shows it, with the changes in this request. */
  readonly toolCall: ToolCallEntry | null;
  /** The subject of the request with its `_meta`, if the agent sends one. */
  readonly subject: PermissionSubject | null;
  /** The possible answers, in the agent's order. The order has no meaning. */
  readonly options: readonly PermissionOption[];
}

/** The user's choice. `cancelled` is for a turn that was cancelled: to reject, select an option that rejects. */
export type PermissionOutcome =
  | { readonly outcome: 'selected'; readonly optionId: string }
  | { readonly outcome: 'cancelled' };

/** The output of a command so far. */
export interface TerminalOutput {
  readonly output: string;
  /** Whether output at the beginning is missing, because there was more than the limit. */
  readonly truncated: boolean;
  /** How the command ended. Absent or `null` while it runs. */
  readonly exitStatus?: ProcessExit | null | undefined;
}

/** A change of a terminal that the client runs. */
export type TerminalChange =
  | { readonly type: 'output'; readonly text: string }
  | { readonly type: 'exit'; readonly exitStatus: ProcessExit }
  | { readonly type: 'release' };

/**
 * Terminals that the agent asks the editor to run. Version 1 only. The conversation shows them, with their command,
 * output and exit: see {@link ConversationTerminal}.
 */
export interface TerminalHandlers {
  /**
   * Starts a command. Resolves when it runs, and does not wait for its end. Use each id once: in the conversation, a
   * terminal takes the place of an earlier one of its id.
   */
  create(
    request: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
      readonly cwd: string | null;
      /** How many bytes of output to keep at most: the last ones. `null`: the editor decides. */
      readonly outputByteLimit: number | null;
    },
    context: HandlerContext,
  ): { readonly terminalId: string } | Promise<{ readonly terminalId: string }>;
  /** Returns the output so far, and how the command ended if it has ended. */
  output(
    request: { readonly terminalId: string },
    context: HandlerContext,
  ): TerminalOutput | Promise<TerminalOutput>;
  /** Resolves when the command has ended. */
  waitForExit(
    request: { readonly terminalId: string },
    context: HandlerContext,
  ): ProcessExit | Promise<ProcessExit>;
  /** Ends the command. Its output can still be read. */
  kill(request: { readonly terminalId: string }, context: HandlerContext): void | Promise<void>;
  /** Ends the command if it runs. The agent no longer uses the terminal, or its session or process has ended. */
  release(request: { readonly terminalId: string }, context: HandlerContext): void | Promise<void>;
  /**
   * Calls `listener` with the output so far and with each change, until the terminal is released. Returns a function
   * that removes the listener. The conversation then shows the output while the command runs. Absent: the conversation
   * shows the output and the exit that {@link output} and {@link waitForExit} return to the agent.
   */
  readonly subscribe?:
    | ((terminalId: string, listener: (change: TerminalChange) => void) => () => void)
    | undefined;
  /** Called once when the connection has ended. End every command that still runs. */
  readonly close?: (() => void | Promise<void>) | undefined;
}

/** A request from the agent for information from the user. */
export interface ElicitationRequest {
  /** The question, for the user. */
  readonly message: string;
  /** The tool call or the client's request that it belongs to, if the agent names it. */
  readonly toolCallId: string | null;
  readonly requestId: string | number | null;
}

/**
 * A request to fill in a form.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export interface FormElicitation extends ElicitationRequest {
  /**
   * A JSON Schema of flat properties. Do not show a known control for a property of an unknown type. If the content of
   * an `accept` lacks a required property, or a value has the wrong type or is out of bounds, the answer is `cancel`.
   */
  readonly requestedSchema: { readonly [key: string]: unknown };
}

/**
 * A request to open a page.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export interface UrlElicitation extends ElicitationRequest {
  /** Show the complete URL with its host, and open it only with the user's consent. */
  readonly url: string;
  /** The id that is passed to `elicit.completed` when the request is completed. */
  readonly elicitationId: string;
}

/**
 * The answer to a request for information: `accept` with the content of the form, `decline`, or `cancel` for a request
 * that the user dismissed.
 */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> | undefined }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** Like {@link HandlerContext}, for a request that does not have to belong to a session. */
export interface ElicitationContext {
  readonly session: Session | undefined;
  /** The `_meta` of the request. */
  readonly meta?: JsonObject;
  readonly signal: AbortSignal;
}

/**
 * The agent's requests that the editor handles. The handlers that you pass determine the advertised capabilities.
 *
 * Handlers run concurrently and never block reading. A handler can call the agent, and has no time limit. Throw a
 * `RequestError` to answer with a specific error. Any other error is answered as an internal error without its text.
 */
export interface ClientHandlers {
  /**
   * Returns the user's choice. The id of an option alone selects it. Absent: every request is answered `cancelled`, and
   * the diagnostic `handler.missing` says so.
   */
  readonly requestPermission?:
    | ((
        request: PermissionRequest,
        context: HandlerContext,
      ) => PermissionOutcome | string | Promise<PermissionOutcome | string>)
    | undefined;
  /** `line` counts from 1. Version 1 only. */
  readonly readTextFile?:
    | ((
        request: { readonly path: string; readonly line?: number; readonly limit?: number },
        context: HandlerContext,
      ) => { readonly content: string } | Promise<{ readonly content: string }>)
    | undefined;
  /** Version 1 only. */
  readonly writeTextFile?:
    | ((
        request: { readonly path: string; readonly content: string },
        context: HandlerContext,
      ) => void | Promise<void>)
    | undefined;
  /** Runs commands for the agent. Version 1 only. */
  readonly terminals?: TerminalHandlers | undefined;
  /** Requests for information from the user. Each mode is advertised if it is present. */
  readonly elicit?:
    | {
        readonly form?:
          | ((
              request: FormElicitation,
              context: ElicitationContext,
            ) => ElicitationAnswer | Promise<ElicitationAnswer>)
          | undefined;
        readonly url?:
          | ((
              request: UrlElicitation,
              context: ElicitationContext,
            ) => ElicitationAnswer | Promise<ElicitationAnswer>)
          | undefined;
        /** A request by URL was completed outside. `meta` is the `_meta` of the notification. */
        readonly completed?:
          | ((elicitationId: string, context: { readonly meta?: JsonObject }) => void)
          | undefined;
      }
    | undefined;
  /**
   * Handles a message for an MCP server of type `acp`, which the editor provides, and returns the answer.
   *
   * @experimental
   */
  readonly mcpMessage?:
    | ((
        message: McpMessage,
        context: { readonly signal: AbortSignal },
      ) => McpMessageAnswer | Promise<McpMessageAnswer>)
    | undefined;
  /**
   * The agent's login changed. `meta` is the `_meta` of the notification. Also called for the extension
   * `_auth/status_update`, unless `extensions` has a handler for it: `_meta` of the account then has what the agent
   * sent.
   *
   * @experimental
   */
  readonly authStatusChanged?:
    | ((status: AuthStatus, context: { readonly meta?: JsonObject }) => void)
    | undefined;
  /** Requests and notifications outside the protocol. The return value of a notification handler is ignored. */
  readonly extensions?:
    | Readonly<Record<`_${string}`, (params: unknown, context: ExtensionContext) => unknown>>
    | undefined;
}

const TerminalHandlersSchema = v.looseObject({
  create: callback,
  output: callback,
  waitForExit: callback,
  kill: callback,
  release: callback,
  subscribe: optional(callback),
  close: optional(callback),
} satisfies Schemas<TerminalHandlers>);

const elicitSchemas = {
  form: optional(callback),
  url: optional(callback),
  completed: optional(callback),
} satisfies Schemas<NonNullable<ClientHandlers['elicit']>>;

const handlerSchemas = {
  requestPermission: optional(callback),
  readTextFile: optional(callback),
  writeTextFile: optional(callback),
  terminals: optional(TerminalHandlersSchema),
  elicit: optional(plainOrClass(elicitSchemas)),
  mcpMessage: optional(callback),
  authStatusChanged: optional(callback),
  extensions: optional(
    v.record(
      v.pipe(
        v.string(),
        v.check(
          (name) => name.startsWith('_'),
          'is not an extension method: names of methods outside the protocol begin with "_"',
        ),
      ),
      optional(callback),
    ),
  ),
} satisfies Schemas<ClientHandlers>;

/** Checks {@link ClientHandlers}. A misspelt handler would never be called. */
export const HandlersSchema = plainOrClass(handlerSchemas);

type Schemas<T> = { readonly [K in keyof Required<T>]: v.GenericSchema };

/** An object with these options and no others. An instance of a class may have other members. */
function plainOrClass<const E extends Readonly<Record<string, v.GenericSchema>>>(entries: E) {
  const strict = optionsObject(entries);
  const loose = v.looseObject(entries);
  return v.lazy((input) => (isPlainObject(input) ? strict : loose));
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
