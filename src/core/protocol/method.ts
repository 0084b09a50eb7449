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
  /** `undefined` for a notification. */
  readonly result: Schema<R> | undefined;
  /** The feature that the agent must support. `undefined`: none. */
  readonly requires: Feature | undefined;
  /**
   * What the method does to a subagent: it cancels its work, or only reads. `undefined`: no capability of a subagent
   * permits it.
   *
   * @see https://agentclientprotocol.com/protocol/v2/subagents#restricted-methods
   */
  readonly onSubagent?: 'cancel' | 'read' | undefined;
  /**
   * What the method does to a session: its result names a new one, it attaches the one that its parameters name to the
   * connection, or that one has no messages after it. `undefined`: none of these.
   */
  readonly session?: 'opens' | 'attaches' | 'ends' | undefined;
  /** Whether the agent sends the history of the session again. Absent: never. Reads parameters that nothing has checked. */
  readonly replays?: ((params: JsonObject) => boolean) | undefined;
  /** The further features that these parameters need. */
  uses(params: P): readonly (Feature | CustomFeature)[];
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
  /** `undefined` for a notification. */
  readonly result: Schema<R> | undefined;
  /** Converts the paths in the error of a handler. Absent where the agent sees the editor's paths. */
  readonly writeFailure?: (failure: Failure) => Failure;
}

/** What the descriptions of requests and of notifications have. */
interface Description<P>
  extends Partial<Pick<AgentMethod, 'requires' | 'onSubagent' | 'session' | 'replays'>> {
  readonly method: string;
  readonly params: Schema<P>;
  readonly uses?: (params: P) => readonly (Feature | CustomFeature)[];
}

const defaults = { requires: undefined, uses: () => [] };

/** Describes a request to the agent. */
export function agentRequest<P, R>(
  description: Description<P> & { readonly result: Schema<R> },
): AgentMethod<P, R> {
  return { ...defaults, ...description };
}

/** Describes a notification to the agent. */
export function agentNotification<P>(description: Description<P>): AgentMethod<P, undefined> {
  return { ...defaults, result: undefined, ...description };
}

/** Describes a request from the agent. */
export function clientRequest<P, R>(description: ClientMethod<P, R>): ClientMethod<P, R> {
  return description;
}

/** Describes a notification from the agent. */
export function clientNotification<P>(
  description: Omit<ClientMethod<P, undefined>, 'result'>,
): ClientMethod<P, undefined> {
  return { result: undefined, ...description };
}

/** Indexes methods by their name on the wire. A later method replaces an earlier one with the same name. */
export function methodTable<M extends { readonly method: string }>(
  ...methods: readonly M[]
): Readonly<Record<string, M>> {
  return Object.fromEntries(methods.map((method) => [method.method, method]));
}
