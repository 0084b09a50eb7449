import type { DiagnosticListener } from '../diagnostic.ts';
import type { AcpError, AgentExit } from '../errors.ts';

/** How a channel ended. */
export interface TransportEnd {
  /** The error that ended it. Absent after an orderly end. */
  readonly error?: AcpError;
  /** How the program at the other end exited. Absent if there is no program, or if it still runs. */
  readonly exit?: AgentExit;
}

/** Receives what arrives over a {@link Transport}. None of its functions throws. */
export interface TransportListener {
  /** Takes one message: the value of its JSON. Called in the order of the wire, one message at a time. */
  onMessage(message: unknown): void;
  /** Takes a problem with the input that does not end the channel, for example a line that is not a message. */
  readonly onDiagnostic: DiagnosticListener;
  /** The agent wrote something, which need not be a message: part of one, or text on stderr. */
  onActivity(): void;
}

/**
 * A channel of JSON-RPC messages to one agent, in order.
 *
 * A connection calls `listen` once, and `close` at its end.
 */
export interface Transport {
  /** Begins to deliver messages. Messages that arrived before are delivered first. */
  listen(listener: TransportListener): void;
  /**
   * Delivers nothing until {@link resume} is called. May be called from within `onMessage`. If a transport has no
   * `pause` and `resume`, the connection queues its messages.
   */
  pause?(): void;
  /** Delivers messages again. Calling it when the transport is not paused changes nothing. */
  resume?(): void;
  /**
   * Writes one message. Messages are written in the order of the calls. Resolves when the channel has taken the
   * message. Rejects if the channel can take no more, or with what `JSON.stringify` throws for this message.
   */
  send(message: object): Promise<void>;
  /**
   * Bytes of messages that were sent and that the channel has not taken yet. A connection ends when the agent leaves too
   * many bytes of answers unread. Without it only the number of messages is limited.
   */
  readonly queuedBytes?: number;
  /** Resolves when the channel has ended and its last message was delivered, if there is a listener. Never rejects. */
  readonly ended: Promise<TransportEnd>;
  /**
   * The name of the agent, for error messages about its end. The connection sets it when the agent has given it.
   */
  agentName?: string | undefined;
  /** Ends the channel in an orderly way. Resolves when nothing of it is left. Idempotent. */
  close(): Promise<void>;
}

/** How long the other side may take to end the channel after `close`, in milliseconds. */
export const maxClosingMs = 2000;
