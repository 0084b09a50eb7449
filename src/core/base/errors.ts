import type { JsonValue } from './json.ts';
import { printable } from './printable.ts';
import type { ProcessExit } from './process-exit.ts';

/** The code of JSON-RPC for an error that is not the caller's. */
const internalError = -32603;

const brand: unique symbol = Symbol.for('acp-client-sdk.error') as never;

/** The kind of an error, for a `switch`. The list changes only with a major version. */
export type AcpErrorCode =
  | 'usage.capability'
  | 'usage.params'
  | 'usage.state'
  | 'remote'
  | 'remote.auth_required'
  | 'remote.not_found'
  | 'remote.method_not_found'
  | 'remote.cancelled'
  | 'protocol.message'
  | 'protocol.version'
  | 'protocol.message_too_large'
  | 'connection.closed'
  | 'timeout'
  | 'agent.spawn'
  | 'agent.exit';

/** What every error of this library can have. */
export interface AcpErrorOptions {
  /** The name of the method on the wire. */
  readonly method?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The base class of the errors of a connection and of the agent's program. {@link ConnectionClosedError} and
 * {@link TimeoutError} extend it directly. The other classes are in these groups:
 *
 * - {@link UsageError}: the call was wrong
 * - {@link RemoteError}: the agent answered with an error
 * - {@link ProtocolError}: the agent violated the protocol
 * - {@link AgentProcessError}: the agent's program did not start, or exited
 *
 * `instanceof` does not work across the ESM and the CommonJS copy of the package. Use {@link AcpError.is}.
 */
export abstract class AcpError extends Error {
  abstract readonly code: AcpErrorCode;
  /** The name of the method on the wire. */
  readonly method?: string;
  /**
   * Only for a call that was sent, and whose answer was lost with the connection or the session: what a program may do.
   *
   * - `asIs`: the same call can be sent again
   * - `withKey`: only with the `idempotencyKey` of the first one, and only to an agent that knows such keys
   * - `no`: the agent may have done it, and a second call would do it twice. Ask the user
   *
   * An error of the channel that rejects several calls has the most careful of these.
   */
  declare retry?: 'asIs' | 'withKey' | 'no';
  /**
   * Only for a call that was to replay the history of a session: `complete` if the agent had sent all of it before the call
   * failed. {@link isFailedLoad} then gives you the conversation.
   */
  declare replay?: 'complete' | 'truncated';

  constructor(message: string, options: AcpErrorOptions = {}) {
    // Messages may contain text from the agent. They must be safe to write to a terminal.
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    if (options.method !== undefined) this.method = options.method;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Whether `value` is an error of this library, from any copy of the package. */
  static is(value: unknown): value is AcpError {
    return hasBrand(value, brand);
  }
}

/** Whether a value has the key that the instances of a class have in each copy of the package. */
export function hasBrand(value: unknown, key: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && key in value;
  } catch {
    // A proxy that was revoked.
    return false;
  }
}

/** The call was wrong. Nothing was sent. */
export abstract class UsageError extends AcpError {}

/** A capability that the agent does not have, with the evidence. */
export interface MissingFeature {
  readonly feature: string;
  /** The path in the agent's `initialize` result. */
  readonly path: string;
  /** The value at the path; `undefined` if there is none. */
  readonly value: unknown;
  readonly reason: string;
}

/** The agent did not advertise what the call needs. Nothing was sent. */
export class CapabilityError extends UsageError {
  override readonly name = 'CapabilityError';
  readonly code = 'usage.capability';
  /** The missing features. */
  readonly missing: readonly MissingFeature[];

  constructor(message: string, options: AcpErrorOptions & { missing: readonly MissingFeature[] }) {
    super(message, options);
    this.missing = options.missing;
  }

  /** The name of the first missing feature. */
  get feature(): string {
    return this.missing[0]?.feature ?? '';
  }
}

/** A problem with a value. */
export interface ValidationIssue {
  /** The path to the value, such as `params.cwd`. */
  readonly path: string;
  readonly message: string;
}

/** A parameter is wrong. Nothing was sent. */
export class InvalidParamsError extends UsageError {
  override readonly name = 'InvalidParamsError';
  readonly code = 'usage.params';
  readonly issues: readonly ValidationIssue[];

  constructor(message: string, options: AcpErrorOptions & { issues?: readonly ValidationIssue[] } = {}) {
    super(message, options);
    this.issues = options.issues ?? [];
  }
}

/** The state of the connection or the session does not allow the call. Nothing was sent. */
export class ConnectionStateError extends UsageError {
  override readonly name = 'ConnectionStateError';
  readonly code = 'usage.state';
}

/** What the agent answered a call with. */
export interface RemoteErrorOptions extends AcpErrorOptions {
  rpcCode: number;
  data?: JsonValue | undefined;
  agentMessage?: string;
  promptAccepted?: boolean;
}

/** The agent answered with an error. Errors with an unknown code are of this class. */
export class RemoteError extends AcpError {
  override readonly name: string = 'RemoteError';
  readonly code: AcpErrorCode = 'remote';
  /** The code of the JSON-RPC error. */
  readonly rpcCode: number;
  /** The data of the JSON-RPC error, unchanged. */
  readonly data: JsonValue | undefined;
  /** The agent's text: its message, and the reason that it gave in `data`. */
  readonly agentMessage: string;
  /**
   * For a prompt or a steered message: `true` if the agent had accepted it or begun with it, so that it stays in the
   * conversation and must not be sent again without asking; `false` if the agent refused it. Absent for other calls.
   */
  promptAccepted?: boolean;

  constructor(message: string, options: RemoteErrorOptions) {
    super(message, options);
    this.rpcCode = options.rpcCode;
    this.data = options.data;
    this.agentMessage = options.agentMessage ?? message;
    if (options.promptAccepted !== undefined) this.promptAccepted = options.promptAccepted;
  }
}

/**
 * The server of a remote agent, or a proxy in front of it, refused a request. For the statuses 401, 403, 404 and 410 the
 * connection has ended. For 409, the session has ended. Other statuses concern one call. After a status of 500 or more,
 * except 503, the agent may have received the call.
 */
export class HttpError extends RemoteError {
  override readonly name = 'HttpError';
  /** The status code of the HTTP answer. */
  readonly status: number;
  /** The start of the text that came with it, without the headers and cookies that were sent. Often empty. */
  readonly body: string;

  constructor(message: string, options: AcpErrorOptions & { status: number; body: string }) {
    const { status, body } = options;
    super(message, { ...options, rpcCode: internalError, data: { status, body }, agentMessage: body });
    this.status = status;
    this.body = body;
  }
}

/**
 * Code -32000: the user must log in first. The methods are in `connection.authMethods`, and in what `onAuthRequired` of
 * `connect` gets. The error does not have them.
 */
export class AuthRequiredError extends RemoteError {
  override readonly name = 'AuthRequiredError';
  override readonly code = 'remote.auth_required';
  /** How the user can log in, as sentences: the `text` of {@link loginAdvice}. Empty if the call was made by its name. */
  readonly advice: string;

  constructor(message: string, options: RemoteErrorOptions & { advice?: string }) {
    super(message, options);
    this.advice = options.advice ?? '';
  }
}

/** Code -32002: the agent does not have the session or resource. */
export class NotFoundError extends RemoteError {
  override readonly name = 'NotFoundError';
  override readonly code = 'remote.not_found';
}

/**
 * Code -32601: the agent does not have the method. The call was sent, because the agent advertised the method, or
 * because the call has `allowUnsupported`.
 */
export class MethodNotFoundError extends RemoteError {
  override readonly name = 'MethodNotFoundError';
  override readonly code = 'remote.method_not_found';
  /** The feature that the method needs, with what the agent says of it. Empty if the method needs none. */
  readonly missing: readonly MissingFeature[];

  constructor(message: string, options: RemoteErrorOptions & { missing?: readonly MissingFeature[] }) {
    super(message, options);
    this.missing = options.missing ?? [];
  }

  /** The name of the feature that the method needs. Empty if it needs none, such as an extension method. */
  get feature(): string {
    return this.missing[0]?.feature ?? '';
  }
}

/** Code -32800: the agent cancelled the request. */
export class CancelledError extends RemoteError {
  override readonly name = 'CancelledError';
  override readonly code = 'remote.cancelled';
}

/** The agent violated the protocol. */
export abstract class ProtocolError extends AcpError {}

/** The agent sent a message that does not match the protocol. */
export class InvalidMessageError extends ProtocolError {
  override readonly name = 'InvalidMessageError';
  readonly code = 'protocol.message';
  readonly issues: readonly ValidationIssue[];

  constructor(message: string, options: AcpErrorOptions & { issues?: readonly ValidationIssue[] } = {}) {
    super(message, options);
    this.issues = options.issues ?? [];
  }
}

/** The agent and the client do not have a common protocol version. The connection is closed. */
export class UnsupportedVersionError extends ProtocolError {
  override readonly name = 'UnsupportedVersionError';
  readonly code = 'protocol.version';
  readonly offered: readonly number[];
  /** The version that the agent answered, or the versions that it supports. */
  readonly supported: readonly unknown[];

  constructor(
    message: string,
    options: AcpErrorOptions & { offered: readonly number[]; supported: readonly unknown[] },
  ) {
    super(message, options);
    this.offered = options.offered;
    this.supported = options.supported;
  }
}

/**
 * The agent sent a line that exceeds the limit. The connection is closed, because the line cannot be skipped safely.
 */
export class MessageTooLargeError extends ProtocolError {
  override readonly name = 'MessageTooLargeError';
  readonly code = 'protocol.message_too_large';
  readonly limitBytes: number;

  constructor(message: string, options: AcpErrorOptions & { limitBytes: number }) {
    super(message, options);
    this.limitBytes = options.limitBytes;
  }
}

/** How the agent's program exited. */
export interface AgentExit extends ProcessExit {
  /** The end of the output on stderr, limited by `stderrTailBytes`. */
  readonly stderrTail: string;
}

/** How a WebSocket was closed. */
export interface SocketClose {
  /** The code of RFC 6455. 1006: the connection was lost without a close frame. */
  readonly closeCode: number;
  /** The reason that the other side sent. Often empty. */
  readonly reason: string;
}

/** The connection ended before the agent answered. */
export class ConnectionClosedError extends AcpError {
  override readonly name = 'ConnectionClosedError';
  readonly code = 'connection.closed';
  /** How the agent's program exited. Absent if there is no program, or if it still runs. */
  readonly exit?: AgentExit;
  /** How the WebSocket was closed. Set on the transport's error, which is the `cause` of the errors of the calls. */
  readonly socketClose?: SocketClose;
  /** Only for a prompt: whether the agent had accepted it, or had started to work on it. */
  readonly promptAccepted?: boolean;

  constructor(
    message: string,
    options: AcpErrorOptions & {
      exit?: AgentExit | undefined;
      socketClose?: SocketClose | undefined;
      promptAccepted?: boolean;
    } = {},
  ) {
    super(message, options);
    if (options.exit) this.exit = options.exit;
    if (options.socketClose) this.socketClose = options.socketClose;
    if (options.promptAccepted !== undefined) this.promptAccepted = options.promptAccepted;
  }
}

/** The agent did not answer within the time limit. */
export class TimeoutError extends AcpError {
  override readonly name = 'TimeoutError';
  readonly code = 'timeout';
  readonly timeoutMs: number;

  constructor(message: string, options: AcpErrorOptions & { timeoutMs: number }) {
    super(message, options);
    this.timeoutMs = options.timeoutMs;
  }
}

/** The agent's program did not start, or exited. */
export abstract class AgentProcessError extends AcpError {}

/** The agent's program did not start. */
export class SpawnError extends AgentProcessError {
  override readonly name = 'SpawnError';
  readonly code = 'agent.spawn';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The error code of the system, such as `ENOENT` or `EACCES`. */
  readonly errno: string | undefined;

  constructor(
    message: string,
    options: AcpErrorOptions & {
      command: string;
      args: readonly string[];
      cwd?: string | undefined;
      errno?: string | undefined;
    },
  ) {
    super(message, options);
    this.command = options.command;
    this.args = options.args;
    this.cwd = options.cwd;
    this.errno = options.errno;
  }
}

/** The agent's program exited unexpectedly. */
export class ExitError extends AgentProcessError implements AgentExit {
  override readonly name = 'ExitError';
  readonly code = 'agent.exit';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;

  constructor(message: string, options: AcpErrorOptions & AgentExit) {
    super(message, options);
    this.exitCode = options.exitCode;
    this.signal = options.signal;
    this.stderrTail = options.stderrTail;
  }
}
