import type { JsonValue } from './json.ts';
import { printable } from './printable.ts';

const brand: unique symbol = Symbol.for('acp-client-sdk.error') as never;

/** What went wrong, for a `switch`. The list is closed and changes only with a major version. */
export type AcpErrorCode =
  | 'usage.capability'
  | 'usage.params'
  | 'usage.state'
  | 'remote'
  | 'remote.auth_required'
  | 'remote.not_found'
  | 'remote.cancelled'
  | 'protocol.message'
  | 'protocol.version'
  | 'protocol.message_too_large'
  | 'connection.closed'
  | 'timeout'
  | 'agent.spawn'
  | 'agent.exit';

interface AcpErrorOptions {
  readonly method?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Every error of this library. The subclass says who must act: {@link UsageError} you, {@link RemoteError} the
 * agent refused, {@link ProtocolError} the agent broke the rules, {@link AgentProcessError} the program.
 *
 * `instanceof` fails between the ESM and the CommonJS copy of the package: use {@link AcpError.is}.
 */
export abstract class AcpError extends Error {
  abstract readonly code: AcpErrorCode;
  /** The method that was called or answered, as on the wire. */
  readonly method?: string;

  constructor(message: string, options: AcpErrorOptions = {}) {
    // Whatever of the agent's words stands in it, a message can be written to a terminal.
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    if (options.method !== undefined) this.method = options.method;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Whether `value` is an error of this library, from whichever copy of it. */
  static is(value: unknown): value is AcpError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** You: the call was wrong, and nothing was sent. */
export abstract class UsageError extends AcpError {}

/** One capability that the agent lacks: where it was looked for, and what stood there. */
export interface MissingFeature {
  readonly feature: string;
  /** The path in the agent's `initialize` result. */
  readonly path: string;
  /** What stood at the path; `undefined` where nothing did. */
  readonly value: unknown;
  readonly reason: string;
}

/** The agent did not advertise what the call needs. Nothing was sent, unless `answered` says that the agent refused. */
export class CapabilityError extends UsageError {
  override readonly name = 'CapabilityError';
  readonly code = 'usage.capability';
  /** The features that are missing, by name. */
  readonly missing: readonly MissingFeature[];
  /** `true` where the call was sent and the agent answered that it has no such method. */
  readonly answered: boolean;

  constructor(
    message: string,
    options: AcpErrorOptions & { missing: readonly MissingFeature[]; answered?: boolean },
  ) {
    super(message, options);
    this.missing = options.missing;
    this.answered = options.answered ?? false;
  }

  /** The first feature that is missing. */
  get feature(): string {
    return this.missing[0]?.feature ?? '';
  }
}

/** One thing that is wrong with a value. */
export interface Issue {
  /** Where, as in `params.cwd`. */
  readonly path: string;
  readonly message: string;
}

/** A parameter is wrong. Nothing was sent. */
export class InvalidParamsError extends UsageError {
  override readonly name = 'InvalidParamsError';
  readonly code = 'usage.params';
  readonly issues: readonly Issue[];

  constructor(message: string, options: AcpErrorOptions & { issues?: readonly Issue[] } = {}) {
    super(message, options);
    this.issues = options.issues ?? [];
  }
}

/** The connection or the session is not in a state for this call. Nothing was sent. */
export class ConnectionStateError extends UsageError {
  override readonly name = 'ConnectionStateError';
  readonly code = 'usage.state';
}

/** The agent answered with an error. Codes of its own, and those this library does not know, stay a `RemoteError`. */
export class RemoteError extends AcpError {
  override readonly name: string = 'RemoteError';
  readonly code: AcpErrorCode = 'remote';
  /** The number in the JSON-RPC error. */
  readonly rpcCode: number;
  /** What the agent added, as it came. */
  readonly data: JsonValue | undefined;

  constructor(message: string, options: AcpErrorOptions & { rpcCode: number; data?: JsonValue | undefined }) {
    super(message, options);
    this.rpcCode = options.rpcCode;
    this.data = options.data;
  }
}

/** -32000: log in first, with one of `connection.authMethods`, then call again. */
export class AuthRequiredError extends RemoteError {
  override readonly name = 'AuthRequiredError';
  override readonly code = 'remote.auth_required';
}

/** -32002: the agent knows no such session or resource. */
export class NotFoundError extends RemoteError {
  override readonly name = 'NotFoundError';
  override readonly code = 'remote.not_found';
}

/** -32800: the agent called the request off. */
export class CancelledError extends RemoteError {
  override readonly name = 'CancelledError';
  override readonly code = 'remote.cancelled';
}

/** The agent broke the protocol. */
export abstract class ProtocolError extends AcpError {}

/** The agent sent a message that is not what the protocol says. */
export class InvalidMessageError extends ProtocolError {
  override readonly name = 'InvalidMessageError';
  readonly code = 'protocol.message';
  readonly issues: readonly Issue[];

  constructor(message: string, options: AcpErrorOptions & { issues?: readonly Issue[] } = {}) {
    super(message, options);
    this.issues = options.issues ?? [];
  }
}

/** Agent and client speak no common version. The connection is closed. */
export class UnsupportedVersionError extends ProtocolError {
  override readonly name = 'UnsupportedVersionError';
  readonly code = 'protocol.version';
  readonly offered: readonly number[];
  /** What the agent answered, or says it supports. */
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

/** The agent sent a line longer than the limit. The connection is closed: what follows cannot be read in order. */
export class MessageTooLargeError extends ProtocolError {
  override readonly name = 'MessageTooLargeError';
  readonly code = 'protocol.message_too_large';
  readonly limitBytes: number;

  constructor(message: string, options: AcpErrorOptions & { limitBytes: number }) {
    super(message, options);
    this.limitBytes = options.limitBytes;
  }
}

/** How the agent's program ended. */
export interface AgentExit {
  /** `null` where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last it wrote to stderr, bounded. */
  readonly stderrTail: string;
}

/** How a WebSocket was closed. */
export interface SocketClose {
  /** As in RFC 6455; 1006 where the connection broke and nobody said why. */
  readonly closeCode: number;
  /** What the other side gave as the reason; often empty. */
  readonly reason: string;
}

/** The channel ended before the agent answered. */
export class ConnectionClosedError extends AcpError {
  override readonly name = 'ConnectionClosedError';
  readonly code = 'connection.closed';
  /** How the agent's program ended; absent where there is no program, or it still runs. */
  readonly exit?: AgentExit;
  /** How the WebSocket was closed: on the error that tells of it, which is the `cause` of what the calls reject with. */
  readonly socketClose?: SocketClose;
  /**
   * Of a prompt: `true` if the agent had taken it, or had begun to work; `false` if there was no sign of that. Absent
   * on other calls.
   */
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

/** The agent did not answer in time. */
export class TimeoutError extends AcpError {
  override readonly name = 'TimeoutError';
  readonly code = 'timeout';
  readonly timeoutMs: number;

  constructor(message: string, options: AcpErrorOptions & { timeoutMs: number }) {
    super(message, options);
    this.timeoutMs = options.timeoutMs;
  }
}

/** The agent's program could not be started, or ended. */
export abstract class AgentProcessError extends AcpError {}

/** The program could not be started. */
export class SpawnError extends AgentProcessError {
  override readonly name = 'SpawnError';
  readonly code = 'agent.spawn';
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The system's code, as in `ENOENT` or `EACCES`. */
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

/** The program ended when it should not have. */
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
