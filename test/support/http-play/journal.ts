import type { JsonObject, RequestId } from '../../../src/core/base/json.ts';

/** A message that the agent said. */
export interface Said {
  /** Counts everything that the agent says. The message has it too. */
  readonly n: number;
  /** The stream: a session, or `''` for that of the connection. */
  readonly stream: string;
  readonly kind: 'update' | 'request' | 'answer';
  /** The id of a request, or of the call that an answer answers. */
  readonly id: RequestId | undefined;
}

/** Something that happened. Its place in the journal is its time. */
export type Happening =
  /** The client sent a message. */
  | { readonly what: 'sent'; readonly message: JsonObject }
  /** The server took a message of the client. */
  | { readonly what: 'taken'; readonly message: JsonObject; readonly sessionId: string | undefined }
  | { readonly what: 'said'; readonly said: Said }
  /** The server wrote what the agent said to an open stream. */
  | { readonly what: 'written'; readonly n: number }
  /** The client was given a message. */
  | { readonly what: 'delivered'; readonly message: JsonObject }
  /** The transport reported to the client that a call gets no answer. */
  | { readonly what: 'failed'; readonly id: RequestId }
  | { readonly what: 'lost'; readonly sessionId: string }
  /** Something went wrong with a stream, or with a message of a session. */
  | { readonly what: 'fault'; readonly stream: string }
  | { readonly what: 'ended' }
  /** What must never happen. */
  | { readonly what: 'wrong'; readonly text: string };

/** The number that the agent gave a message. */
export function numberOf(message: JsonObject): number | undefined {
  for (const part of [message['params'], message['result'], message['error']]) {
    const n: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'n') : undefined;
    if (typeof n === 'number') return n;
  }
  return undefined;
}

/** The session that a message of the client names. */
export function sessionIn({ params }: JsonObject): string | undefined {
  const sessionId: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, 'sessionId') : undefined;
  return typeof sessionId === 'string' ? sessionId : undefined;
}

/** How the server and the agent work, for a whole play. */
export interface Habits {
  /** Which events have ids. Without one the server cannot send an event again. */
  readonly eventIds: 'all' | 'some' | 'none';
  /** What becomes of the call that asks for the order of messages. */
  readonly barrier: 'is answered' | 'is answered elsewhere' | 'is refused' | 'has no answer';
  /** What the client does with a session that is lost. */
  readonly reopening: 'session/load' | 'session/resume' | 'none';
}

/** The sessions of a play, and the one of a subagent that works for the first. */
export const sessions = ['s1', 's2'] as const;
export const subagent = 'sub';
