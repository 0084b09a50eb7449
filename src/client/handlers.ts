import type { ToolCallEntry } from '../model/conversation.ts';
import type { PermissionOption } from '../model/update.ts';
import type { AuthStatus } from '../protocol/calls.ts';
import type { PermissionSubject } from '../protocol/dialect.ts';
import type { Session } from './session.ts';

type Awaitable<T> = T | Promise<T>;

/** What a handler is told beside the request. */
export interface HandlerContext {
  /** The session that the agent asks for. */
  readonly session: Session;
  /** Aborted when nobody waits for the answer any more: the agent withdrew, the user cancelled, the connection ended. */
  readonly signal: AbortSignal;
}

/** What a handler of an extension method is told; `session` where the parameters name one that is open. */
export interface ExtensionContext {
  readonly session: Session | undefined;
  readonly signal: AbortSignal;
}

/**
 * What the agent asks a permission for. Show its own options, under their own names.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls#requesting-permission
 */
export interface PermissionRequest {
  /** The question; `null` where the title of the tool call has to do. */
  readonly title: string | null;
  /** More about it, where the agent says more. */
  readonly description: string | null;
  /** The tool call as the conversation shows it, this request's changes applied. */
  readonly toolCall: ToolCallEntry | null;
  /** What it is asked for, where that is more than the title says. */
  readonly subject: PermissionSubject | null;
  /** What may be answered, in the agent's order, which means nothing. */
  readonly options: readonly PermissionOption[];
}

/** The user's choice. `cancelled` is for a turn that was called off: to say no, select an option that rejects. */
export type PermissionOutcome =
  | { readonly outcome: 'selected'; readonly optionId: string }
  | { readonly outcome: 'cancelled' };

/** How a command ended: with a code, or by a signal; the other one is `null`. */
export interface TerminalExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Terminals that the agent asks the editor to run. Version 1 only. */
export interface TerminalHandlers {
  /** Starts a command. Resolves when it runs, and does not wait for its end. */
  create(
    request: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
      readonly cwd: string | null;
      /** Keep this many bytes at the most, the last ones. `null`: as many as you like. */
      readonly outputByteLimit: number | null;
    },
    context: HandlerContext,
  ): Awaitable<{ readonly terminalId: string }>;
  /** What it printed so far, and how it ended if it has. */
  output(
    request: { readonly terminalId: string },
    context: HandlerContext,
  ): Awaitable<{
    readonly output: string;
    readonly truncated: boolean;
    readonly exitStatus?: TerminalExit | null;
  }>;
  /** Resolves when the command has ended. */
  waitForExit(request: { readonly terminalId: string }, context: HandlerContext): Awaitable<TerminalExit>;
  /** Ends the command. Its output can still be asked for. */
  kill(request: { readonly terminalId: string }, context: HandlerContext): Awaitable<void>;
  /** Ends the command if it runs. The agent names the terminal no more, or has crashed. */
  release(request: { readonly terminalId: string }, context: HandlerContext): Awaitable<void>;
  /** Called once when the connection has ended for good: what still runs is nobody's any more. */
  close?(): Awaitable<void>;
}

/** What the agent wants to know from the user. */
export interface ElicitationRequest {
  /** What the agent wants to know, for a person. */
  readonly message: string;
  /** The tool call or the request of ours that the question belongs to, where the agent says. */
  readonly toolCallId: string | null;
  readonly requestId: string | number | null;
}

/**
 * A form that the agent wants filled in.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export interface FormElicitation extends ElicitationRequest {
  /**
   * A JSON Schema of flat properties. Show a property of an unknown type as no known control. An `accept` whose
   * content lacks what it requires, or has it in the wrong type or out of bounds, is answered as `cancel`.
   */
  readonly requestedSchema: { readonly [key: string]: unknown };
}

/**
 * A page that the agent wants opened.
 *
 * @see https://agentclientprotocol.com/protocol/elicitation
 */
export interface UrlElicitation extends ElicitationRequest {
  /** Show it whole, with its host, and open it only with the user's consent. */
  readonly url: string;
  /** What `elicit.completed` calls the question when it was dealt with. */
  readonly elicitationId: string;
}

/**
 * What became of a question: `accept` with what was filled in, `decline` for a no, `cancel` for one that was
 * put away.
 */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** As {@link HandlerContext}, for a question that may belong to no session. */
export interface ElicitationContext {
  readonly session: Session | undefined;
  readonly signal: AbortSignal;
}

/**
 * What the editor does for the agent. What a handler is given for is what is advertised: the two cannot differ.
 *
 * A handler runs beside the read loop: it may call the agent back, and may take its time. To answer with an error
 * of your choice throw a `RequestError`; anything else thrown is answered as an internal error without its text.
 */
export interface ClientHandlers {
  /** Absent: every request is answered `cancelled`. */
  requestPermission?(request: PermissionRequest, context: HandlerContext): Awaitable<PermissionOutcome>;
  /** `line` counts from 1. Version 1 only. */
  readTextFile?(
    request: { readonly path: string; readonly line?: number; readonly limit?: number },
    context: HandlerContext,
  ): Awaitable<{ readonly content: string }>;
  /** Version 1 only. */
  writeTextFile?(
    request: { readonly path: string; readonly content: string },
    context: HandlerContext,
  ): Awaitable<void>;
  /** Commands that the agent has the editor run. Version 1 only. */
  readonly terminals?: TerminalHandlers;
  /** Questions to the user. Each mode is advertised when it is present. */
  readonly elicit?: {
    form?(request: FormElicitation, context: ElicitationContext): Awaitable<ElicitationAnswer>;
    url?(request: UrlElicitation, context: ElicitationContext): Awaitable<ElicitationAnswer>;
    /** A question by URL was dealt with outside. */
    completed?(elicitationId: string): void;
  };
  /**
   * Takes a message for an MCP server that the editor itself provides, of type `acp`; what it returns goes back.
   *
   * @experimental
   */
  mcpMessage?(
    message: {
      readonly serverId: string;
      readonly requestId: string;
      readonly method: string;
      readonly params?: { readonly [key: string]: unknown } | null;
    },
    context: { readonly signal: AbortSignal },
  ): Awaitable<
    { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }
  >;
  /**
   * The agent's login changed.
   *
   * @experimental
   */
  authStatusChanged?(status: AuthStatus): void;
  /** Methods of the agent's own, requests and notifications. What a notification's handler returns is dropped. */
  readonly extensions?: Readonly<
    Record<`_${string}`, (params: unknown, context: ExtensionContext) => unknown>
  >;
}
