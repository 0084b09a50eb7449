import type { CustomFeature, Feature } from './feature.ts';
import type { Schema } from './vocabulary.ts';

/**
 * A method that the client calls, in one dialect: everything there is to say of it, in one value. The typed call,
 * the gate, the error's text, the table in the docs and the gate's tests derive from it. The page of the specification
 * stands in its comment, where it costs no page a byte.
 */
export interface AgentMethod<P = unknown, R = unknown> {
  /** As on the wire. */
  readonly method: string;
  readonly params: Schema<P>;
  /** `undefined` for a notification. */
  readonly result: Schema<R> | undefined;
  /** The feature without which the method must not be called. */
  readonly requires: Feature | undefined;
  /** The features that these parameters need beside. */
  uses(params: P): readonly (Feature | CustomFeature)[];
}

/** A method that the agent calls, in one dialect. */
export interface ClientMethod<P = unknown, R = unknown> {
  readonly method: string;
  readonly params: Schema<P>;
  /** `undefined` for a notification. */
  readonly result: Schema<R> | undefined;
}

const usesNothing = () => [];

/** Describes a request to the agent. */
export function agentRequest<P, R>(description: {
  method: string;
  params: Schema<P>;
  result: Schema<R>;
  requires?: Feature;
  uses?: (params: P) => readonly (Feature | CustomFeature)[];
}): AgentMethod<P, R> {
  return { requires: undefined, uses: usesNothing, ...description };
}

/** Describes a notification to the agent. */
export function agentNotification<P>(description: {
  method: string;
  params: Schema<P>;
  requires?: Feature;
  uses?: (params: P) => readonly (Feature | CustomFeature)[];
}): AgentMethod<P, undefined> {
  return { requires: undefined, uses: usesNothing, result: undefined, ...description };
}

/** Describes a request that the agent makes. */
export function clientRequest<P, R>(description: ClientMethod<P, R>): ClientMethod<P, R> {
  return description;
}

/** Describes a notification that the agent sends. */
export function clientNotification<P>(
  description: Omit<ClientMethod<P, undefined>, 'result'>,
): ClientMethod<P, undefined> {
  return { result: undefined, ...description };
}

/** Methods by their name on the wire. Of two with one name the later counts. */
export function methodTable<M extends { readonly method: string }>(
  ...methods: readonly M[]
): Readonly<Record<string, M>> {
  return Object.fromEntries(methods.map((method) => [method.method, method]));
}
