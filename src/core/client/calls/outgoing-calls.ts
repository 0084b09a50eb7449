import { type DiagnosticListener, listenerFailed } from '../../base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { kindOf } from '../../base/kind-of.ts';
import { callListener, isThenable } from '../../base/listeners.ts';
import { readInput } from '../../base/options.ts';
import { type SentSecrets, secretsIn } from '../../base/secrets.ts';
import { deferred } from '../../base/wait.ts';

/** How a call to the agent ended. */
export interface CallEnd {
  /** What the call rejected with. Absent if the agent answered with a result, or the notification was written. */
  readonly error?: unknown;
}

/** A request or a notification that is about to be written. See {@link ConnectOptions.callMeta}. */
export interface OutgoingCall {
  /** The method on the wire. It depends on the version of the protocol. */
  readonly method: string;
  /** The session that the parameters name. Absent if they name none. */
  readonly sessionId?: string;
  /** The `_meta` that the call has from its parameters and its option `meta`. Absent if it has none. */
  readonly meta?: JsonObject;
  /**
   * Resolves when the call is over: the agent answered, the notification was written, or nothing is awaited any more.
   * Never rejects. In version 2 the agent answers a prompt before it works on it.
   */
  readonly ended: Promise<CallEnd>;
}

/** Returns what is added to the `_meta` of a call. */
export type CallMeta = (call: OutgoingCall) => JsonObject | undefined;

/** Writes a call, and returns what `write` returns. */
export type SendCall = <T>(
  method: string,
  params: JsonObject | undefined,
  write: (params: JsonObject | undefined) => Promise<T>,
) => Promise<T>;

/**
 * Makes what every call to the agent passes: the editor adds metadata, what is sent is remembered as secrets, and an
 * error does not repeat them.
 */
export function callSender(
  secrets: SentSecrets,
  report: DiagnosticListener,
  callMeta: CallMeta | undefined,
): SendCall {
  const failed = listenerFailed('callMeta', report);
  return async (method, params, write) => {
    const ended = deferred<CallEnd>();
    // The parameters of an extension method are what the editor passed: a getter in them can throw.
    const [sessionId, meta] = readInput(() => [params?.['sessionId'], params?.['_meta']]);
    const call: OutgoingCall = {
      method,
      ...(typeof sessionId === 'string' && { sessionId }),
      ...(isJsonObject(meta) && { meta }),
      ended: ended.promise,
    };
    const added = callMeta && metaOf(callMeta, call, failed);
    const wire = added ? { ...params, _meta: { ...added, ...(isJsonObject(meta) && meta) } } : params;
    try {
      secrets.add(readInput(() => secretsIn(wire)));
      const answer = await write(wire);
      ended.resolve({});
      return answer;
    } catch (error) {
      ended.resolve({ error: secrets.removeFromError(error) });
      throw error;
    }
  };
}

/** What the editor adds to a call. `undefined` if that is nothing, or if its function failed. */
function metaOf(
  callMeta: CallMeta,
  call: OutgoingCall,
  failed: (error: unknown) => void,
): JsonObject | undefined {
  let meta: JsonObject | undefined;
  callListener(() => {
    const added: unknown = callMeta(call);
    if (added === undefined) return added;
    // A copy: what cannot be written as JSON fails here, and the call does not.
    const copy: unknown = JSON.parse(JSON.stringify(added) ?? 'null');
    if (isJsonObject(copy) && !isThenable(added)) meta = Object.keys(copy).length > 0 ? copy : undefined;
    else failed(`it returned ${isThenable(added) ? 'a promise' : kindOf(added)}, and not an object`);
    return added;
  }, failed);
  return meta;
}
