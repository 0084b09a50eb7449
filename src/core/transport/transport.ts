import { type DiagnosticListener, errorMessage } from '../base/diagnostic.ts';
import { AcpError, type AgentExit, ConnectionClosedError } from '../base/errors.ts';
import type { RequestId } from '../base/json.ts';
import { withLimits } from '../base/wait.ts';

/** How a channel ended. */
export interface TransportEnd {
  /** The error that ended it. Absent after an orderly end. */
  readonly error?: AcpError;
  /** How the program at the other end exited. Absent if there is no program, or if it still runs. */
  readonly exit?: AgentExit;
}

/** A session whose messages no longer arrive, although the channel continues. */
export interface SessionLoss {
  readonly sessionId: string;
  readonly error: AcpError;
  /** Whether the session can be loaded or resumed on this channel. `false` if another client has taken it. */
  readonly canReturn: boolean;
}

/** A fault of one call or of one session, although the channel goes on. */
export type ChannelFault =
  /** A call gets no answer. */
  | { readonly type: 'callFailed'; readonly id: RequestId; readonly error: AcpError }
  /** The messages of a session no longer arrive. */
  | ({ readonly type: 'sessionLost' } & SessionLoss);

/** Receives messages and other events of a {@link Transport}. Its functions never throw. */
export interface TransportListener {
  /** Receives one message, parsed from JSON. Called in the order of the wire, one message at a time. */
  onMessage(message: unknown): void;
  /** Receives a problem with the input that does not end the channel, for example a line that is not a message. */
  readonly onDiagnostic: DiagnosticListener;
  /** Called when the agent wrote something: a message, a part of one, or text on stderr. */
  onActivity(): void;
  /** The secrets in the requests of a channel, such as a token, before they are sent. The agent may repeat them. */
  readonly onSecrets?: ((secrets: readonly string[]) => void) | undefined;
  /** A call gets no answer, although the channel continues. Called in the order of the messages. */
  readonly onRequestFailed?: ((id: RequestId, error: AcpError) => void) | undefined;
  /**
   * The messages of a session no longer arrive. Its open calls also fail: those that open it before, and others after, so
   * that a turn ends for this reason. Called in the order of the messages.
   */
  readonly onSessionLost?: ((loss: SessionLoss) => void) | undefined;
}

/** Tells a listener of a fault. */
export function tellFault(listener: TransportListener, fault: ChannelFault): void {
  if (fault.type === 'callFailed') listener.onRequestFailed?.(fault.id, fault.error);
  else listener.onSessionLost?.(fault);
}

/**
 * A channel of JSON-RPC messages to one agent, in order.
 *
 * A connection calls `listen` once, and `close` at its end.
 */
export interface Transport {
  /** Starts to deliver messages. Messages that arrived earlier are delivered first. */
  listen(listener: TransportListener): void;
  /**
   * Delivers nothing until {@link resume} is called. Can be called from within `onMessage`. If a transport does not
   * have `pause` and `resume`, the connection queues its messages.
   */
  readonly pause?: (() => void) | undefined;
  /** Delivers messages again. Has no effect if the transport is not paused. */
  readonly resume?: (() => void) | undefined;
  /**
   * Writes one message. Messages are written in the order of the calls. Resolves when the channel has accepted the
   * message. Rejects if the channel is closed for writing, or with the error that `JSON.stringify` throws for this
   * message.
   */
  send(message: object): Promise<void>;
  /**
   * Bytes of sent messages that the channel has not accepted yet. A connection ends if the agent does not read its
   * answers and they exceed a limit in bytes. Without this property, only the number of messages is limited.
   */
  readonly queuedBytes?: number | undefined;
  /** Resolves when the channel has ended and its last message was delivered, if there is a listener. Never rejects. */
  readonly ended: Promise<TransportEnd>;
  /** The agent's name, for error messages about its end. The connection sets it when the agent has reported it. */
  agentName?: string | undefined;
  /** Ends the channel in an orderly way. Resolves when all its resources are released. Idempotent. */
  close(): Promise<void>;
  /**
   * Whether a network is between the two sides. A connection with `reconnect` then tries for as long as a network can be
   * away, and not a number of times. Default: `false`.
   */
  readonly isRemote?: boolean | undefined;
  /**
   * Tells the other side again that this channel has ended, where it may not know. A connection with `reconnect` calls
   * this before it opens the next channel, so that two agents do not work on one session. Rejects if the other side
   * cannot be reached: then the next channel is not opened yet. Without this method, the next channel is opened at once.
   */
  readonly confirmEnd?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * The program that was started as the agent. The advice about a login names it where a terminal must run it. `env` returns
   * the value of an environment variable with which it was started.
   */
  readonly program?:
    | {
        readonly command: string;
        readonly args: readonly string[];
        env?: ((name: string) => string | undefined) | undefined;
      }
    | undefined;
  /**
   * Whether a directory exists, for an agent that uses the files of this machine. Never rejects. If it resolves to
   * `false` for the directory of a new session, the diagnostic `session.missing_directory` says so. Not called with the
   * option `paths` of `connect`.
   */
  readonly hasDirectory?: ((path: string) => Promise<boolean>) | undefined;
  /**
   * Milliseconds that a connection waits for {@link close}. If it takes longer or rejects, the connection ends without
   * it, and reports `transport.close_failed`. Default: 10,000.
   */
  readonly closeTimeoutMs?: number | undefined;
}

/** The error of a channel for anything that was thrown. */
export function transportError(error: unknown): AcpError {
  return AcpError.is(error)
    ? error
    : new ConnectionClosedError('The connection to the server failed.', { cause: error });
}

/** How long the other side may take to end the channel after `close`, in milliseconds. */
export const maxClosingMs = 2000;

/** How long a connection waits for `close` of a transport that does not set `closeTimeoutMs`, in milliseconds. */
export const defaultCloseTimeoutMs = 10_000;

/** Closes a transport. Never rejects: a transport that fails to close, or takes too long, is reported. */
export async function closeTransport(transport: Transport, report: DiagnosticListener): Promise<void> {
  const { closeTimeoutMs: timeoutMs = defaultCloseTimeoutMs } = transport;
  const timeoutError = () => new Error(`it did not settle within ${timeoutMs} ms`);
  const closing = (async () => transport.close())();
  try {
    await withLimits(closing, { timeoutMs, timeoutError });
  } catch (error) {
    const message = `close() of the transport failed: ${errorMessage(error)}. The connection ended without it. What the transport uses may still be open: correct its close().`;
    report({ rule: 'transport.close_failed', severity: 'error', message });
  }
}
