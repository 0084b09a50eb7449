import * as v from 'valibot';
import type { JsonObject } from '../../base/json.ts';
import { abortSignal, checkOptions, optional, optionsObject, shown, timeoutMs } from '../../base/options.ts';
import type { CallName } from '../../protocol/calls.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import { jsonObject } from '../../protocol/vocabulary.ts';
import type { Limits } from '../../rpc/peer.ts';

/** Options of every call. */
export interface CallOptions {
  /** Aborting cancels the request at the agent and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the call is abandoned. Default: 600,000 to load a session, 120,000 to create, fork or resume
   * one, and 60,000 for other calls. Prompts, logins and extension methods have no limit. A limit that you pass
   * includes the time in which `onAuthRequired` asks the user to log in; the default does not. The limit of a prompt of
   * version 2 ends when the agent accepts it: use `signal` for a turn.
   */
  readonly timeoutMs?: number | undefined;
  /** Sends this call even if the agent did not advertise what it needs. Default: `false`. */
  readonly allowUnsupported?: boolean | undefined;
  /**
   * Sent as the `_meta` of the request, for example a W3C trace context. If the parameters have a `_meta` too, both are
   * sent, and a key that both have gets the value of this option.
   *
   * @see https://agentclientprotocol.com/protocol/extensibility
   */
  readonly meta?: JsonObject | undefined;
  /**
   * Parameters that this library does not know, such as those of a newer schema of the protocol. They are added to the
   * parameters on the wire, as they are. A parameter that this library knows is refused here. Calls that open a session
   * again after a restart do not send them. Default: none.
   *
   * @example
   * ```ts
   * await connection.newSession({ cwd }, { extraParams: { budget: { tokens: 100_000 } } });
   * ```
   */
  readonly extraParams?: JsonObject | undefined;
  /**
   * The capabilities that the agent must have advertised, for a part of the protocol that this library does not know: their
   * dotted paths in version 2, such as `session.prompt.video`. In an agent of version 1, this one is
   * `agentCapabilities.promptCapabilities.video`. `true` and an object count as advertised. With `requires`, the parameters
   * can contain values of a newer type, such as a block of a prompt, an MCP server, or another value that `type` tells apart.
   * Everything else is checked as without it. Default: nothing more is checked, and a value of an unknown type is refused.
   *
   * @example
   * ```ts
   * await session.prompt([video], { requires: 'session.prompt.video' });
   * ```
   */
  readonly requires?: string | readonly string[] | undefined;
}

/** Options of a call by its name on the wire. */
export interface NamedCallOptions extends CallOptions {
  /**
   * As in {@link CallOptions}. In addition, a method that the version does not have is sent if the agent advertised the
   * capabilities.
   */
  readonly requires?: string | readonly string[] | undefined;
}

const dottedPath = /^[\w-]+(?:\.[\w-]+)*$/;

/** The capabilities that a call names. */
export function requiredBy({ requires = [] }: CallOptions): readonly string[] {
  return typeof requires === 'string' ? [requires] : requires;
}

/** The checks of {@link CallOptions}, for calls that have further options. */
export const callOptionEntries = {
  signal: optional(abortSignal),
  timeoutMs: optional(timeoutMs),
  allowUnsupported: optional(v.boolean()),
  meta: optional(jsonObject),
  extraParams: optional(jsonObject),
  requires: optional(
    v.custom<string | readonly string[]>(
      (value) => [value].flat().every((name) => typeof name === 'string' && dottedPath.test(name)),
      ({ input }) => `must be a dotted path or a list of them; got ${shown(input)}`,
    ),
  ),
} satisfies { readonly [K in keyof Required<CallOptions>]: v.GenericSchema };

const CallOptionsSchema = optionsObject(callOptionEntries);

/**
 * Checks the options of a call.
 *
 * @throws {@link InvalidParamsError}
 */
export function checkCallOptions(method: string, options: CallOptions): void {
  checkOptions(method, CallOptionsSchema, options, 'Nothing was sent.');
}

/** The time limit of most calls, in milliseconds. */
export const minuteMs = 60_000;

/** The time limits of calls that differ from a minute, in milliseconds. `undefined`: no limit. */
const ownTimeoutsMs: { readonly [K in CallName]?: number | undefined } = {
  newSession: 2 * minuteMs,
  loadSession: 10 * minuteMs,
  resumeSession: 2 * minuteMs,
  forkSession: 2 * minuteMs,
  prompt: undefined,
  login: undefined,
};

/** The time limit of a call in milliseconds, unless its options say otherwise. `undefined`: no limit. */
export function timeoutMsOf(name: CallName): number | undefined {
  return Object.hasOwn(ownTimeoutsMs, name) ? ownTimeoutsMs[name] : minuteMs;
}

/** The longest limit of the typed calls that send this method, in milliseconds. */
export function longestTimeoutMs(method: string, { calls }: Pick<Dialect, 'calls'>): number {
  const limits = Object.entries(calls)
    .filter(([, call]) => call?.descriptor.method === method)
    // The table of calls is keyed by their names.
    .map(([name]) => timeoutMsOf(name as CallName) ?? Number.POSITIVE_INFINITY);
  return limits.length === 0 ? minuteMs : Math.max(...limits);
}

/**
 * The limits that the options of a call give.
 *
 * @throws {@link InvalidParamsError}
 */
export function limitsOf(method: string, options: CallOptions): Limits {
  checkCallOptions(method, options);
  const { signal, timeoutMs: limitMs } = options;
  return { ...(signal && { signal }), ...(limitMs !== undefined && { timeoutMs: limitMs }) };
}
