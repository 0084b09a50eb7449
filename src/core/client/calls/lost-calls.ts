import { AcpError, MethodNotFoundError, NotFoundError, UsageError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { withLimits } from '../../base/wait.ts';
import type { AgentMethod } from '../../protocol/method.ts';
import { sentAgain } from '../../protocol/retry-classes.ts';
import type { Limits } from '../../rpc/peer.ts';
import { notBackError } from './failed-call.ts';
import type { Link } from './link.ts';
import { countdown } from './login.ts';

/** Resolves when what a call was lost with has returned, to whether it has: the connection, and the session if it names one. */
export type WhenReturned = (sessionId: unknown) => Promise<boolean>;

/** A call that was checked. */
interface CheckedCall extends Limits {
  readonly descriptor: AgentMethod;
  readonly params: JsonObject;
  /** The agent that runs now. */
  readonly link: () => Link;
}

/** Sends calls again whose answers were lost with the connection, where a second call does no harm. */
export class LostCalls {
  readonly #whenReturned: WhenReturned;
  /** The calls under way that change a config option, the last one of each option. */
  readonly #newest = new Map<string, object>();

  constructor(whenReturned: WhenReturned) {
    this.#whenReturned = whenReturned;
  }

  /** Makes a call, as often as it is lost. Its limits hold over the whole. */
  async run(call: CheckedCall, send: (timeoutMs: number | undefined) => Promise<unknown>): Promise<unknown> {
    const { descriptor, timeoutMs } = call;
    const { method } = descriptor;
    if (!sentAgain.has(method)) return send(timeoutMs);
    const remainingMs = countdown(timeoutMs);
    const { isNewest, end } = this.#follow(call.params);
    const taken = whatIsTaken(call);
    let limitMs = timeoutMs;
    let lost: AcpError | undefined;
    try {
      for (;;) {
        try {
          return await send(limitMs);
        } catch (error) {
          // The first call has done it: the agent knows no such session.
          if (lost && error instanceof NotFoundError && descriptor.session === 'ends') return {};
          // That it cannot be sent again says less.
          if (lost && (error instanceof UsageError || error instanceof MethodNotFoundError)) throw lost;
          if (!AcpError.is(error) || error.retry === undefined) throw error;
          const hasReturned = await this.#returned(call, remainingMs());
          if (!hasReturned || !isNewest() || whatIsTaken(call) !== taken) throw error;
          lost = error;
          limitMs = remainingMs();
        }
      }
    } finally {
      end();
    }
  }

  #returned({ descriptor, params, signal, timeoutMs = 0 }: CheckedCall, remainingMs: number | undefined) {
    const { method } = descriptor;
    return withLimits(this.#whenReturned(params['sessionId']), {
      signal,
      timeoutMs: remainingMs,
      timeoutError: () => notBackError(method, timeoutMs, 'asIs'),
    });
  }

  /** Notes a change of a config option: it must not be repeated after a newer one. */
  #follow({ sessionId, configId }: JsonObject) {
    if (typeof configId !== 'string') return { isNewest: () => true, end: () => {} };
    const key = JSON.stringify([sessionId, configId]);
    const change = {};
    this.#newest.set(key, change);
    const isNewest = () => this.#newest.get(key) === change;
    return { isNewest, end: () => isNewest() && this.#newest.delete(key) };
  }
}

/** What the agent that runs now takes of a call: a newer process can be of another version. */
function whatIsTaken({ descriptor: { requires, uses }, params, link }: CheckedCall): string {
  const { dialect, capabilities } = link();
  const features = [...(requires ? [requires] : []), ...(uses?.(params) ?? [])];
  return [dialect.name, ...features.map((feature) => capabilities.explain(feature).supported)].join();
}
