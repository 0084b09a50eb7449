import type { JsonObject, JsonValue } from '../base/json.ts';
import type { CustomFeature, Feature } from './feature.ts';
import type { Schema } from './vocabulary.ts';

/**
 * A method that the client calls, in one dialect. The typed call, the capability check, the error messages and the
 * table in the docs derive from this description. The comment of each method links its page of the specification.
 */
export interface AgentMethod<P = unknown, R = unknown> {
  /** The name on the wire. */
  readonly method: string;
  readonly params: Schema<P>;
  /** Absent for a notification. */
  readonly result?: Schema<R> | undefined;
  /** The feature that the agent must support. Absent: none. */
  readonly requires?: Feature;
  /**
   * What the method does to a subagent: it cancels its work, or only reads. `undefined`: no capability of a subagent
   * permits it.
   *
   * @see https://agentclientprotocol.com/protocol/v2/subagents#restricted-methods
   */
  readonly onSubagent?: 'cancel' | 'read';
  /**
   * What the method does to a session: its result names a new one, it attaches the one that its parameters name to the
   * connection, or that one has no messages after it. `undefined`: none of these.
   */
  readonly session?: 'opens' | 'attaches' | 'ends';
  /** Whether the agent sends the history of the session again. Absent: never. Reads parameters that nothing has checked. */
  readonly replays?: (params: JsonObject) => boolean;
  /** The further features that these parameters need. The schema alone decides their type. */
  uses?(params: NoInfer<P>): readonly (Feature | CustomFeature)[];
  /** Converts the paths in a result that the schema has not read. Absent where the agent sees the editor's paths. */
  readonly readPaths?: (result: unknown) => unknown;
}

/** What a handler answers with when it does not serve a request. */
export interface Failure {
  readonly message: string;
  readonly data: JsonValue | undefined;
}

/** A method that the agent calls, in one dialect. */
export interface ClientMethod<P = unknown, R = unknown> {
  readonly method: string;
  readonly params: Schema<P>;
  /** Absent for a notification. */
  readonly result?: Schema<R>;
  /** Converts the paths in the error of a handler. Absent where the agent sees the editor's paths. */
  readonly writeFailure?: (failure: Failure) => Failure;
}

interface Answered<R> {
  readonly result: Schema<R>;
}

/** Describes a request to the agent. */
export function agentRequest<P, R>(description: AgentMethod<P, R> & Answered<R>): AgentMethod<P, R> {
  return description;
}

/** Describes a notification to the agent. */
export function agentNotification<P>(description: AgentMethod<P, undefined>): AgentMethod<P, undefined> {
  return description;
}

/** Describes a request from the agent. */
export function clientRequest<P, R>(description: ClientMethod<P, R> & Answered<R>): ClientMethod<P, R> {
  return description;
}

/** Describes a notification from the agent. */
export function clientNotification<P>(description: ClientMethod<P, undefined>): ClientMethod<P, undefined> {
  return description;
}

/** Indexes methods by their name on the wire. A later method replaces an earlier one with the same name. */
export function methodTable<M extends { readonly method: string }>(
  ...methods: readonly M[]
): Readonly<Record<string, M>> {
  return Object.fromEntries(methods.map((method) => [method.method, method]));
}
