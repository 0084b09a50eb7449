import type { AcpError, AgentExit } from '../errors.ts';
import type { MessageReader, MessageWriter } from './jsonrpc.ts';

/** Why a channel ended. */
export interface TransportEnd {
  /** The error that ended it; absent after an orderly end. */
  readonly error?: AcpError;
  /** How the program at the other end ended, where there is one and it has. */
  readonly exit?: AgentExit;
}

/**
 * A channel of JSON-RPC messages, in order, to one agent.
 *
 * The reader must deliver messages one after the other in the order of the wire, and fire `onClose` once, after
 * the last message. The writer must write in the order of its calls.
 */
export interface Transport {
  /** Delivers the messages of the agent. */
  readonly reader: MessageReader;
  /** Takes the messages to the agent. */
  readonly writer: MessageWriter;
  /**
   * Resolves when the channel has ended and all that can be known of the end is known. Never rejects.
   * Without it the reader's `onClose` is the end.
   */
  readonly ended?: Promise<TransportEnd>;
  /** Ends the channel in an orderly way: resolves when nothing of it is left. Called once. */
  close?(): Promise<void>;
  /** Takes what is wrong with the bytes and nobody awaits. Set by the connection before it listens. */
  onDiagnostic?: ((diagnostic: import('../diagnostic.ts').Diagnostic) => void) | undefined;
  /**
   * To be called at each sign of life: bytes from the agent, messages or not. Set by the connection while it waits
   * for `initialize`. A transport that cannot tell leaves it alone: the wait is then counted from its beginning.
   */
  onActivity?: (() => void) | undefined;
}
