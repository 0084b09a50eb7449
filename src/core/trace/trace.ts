import { type DiagnosticListener, listenerFailed } from '../base/diagnostic.ts';
import { isJsonObject } from '../base/json.ts';
import { maxKnownTexts } from '../base/known-texts.ts';
import { callListener, isThenable } from '../base/listeners.ts';
import { SentSecrets, secretsIn } from '../base/secrets.ts';
import { redact } from './redact.ts';
import { shorten } from './shorten.ts';
import type { TrafficRecord } from './traffic.ts';

/**
 * Records the messages between the client and the agent.
 *
 * @example
 * ```ts
 * const lines: string[] = [];
 * const trace: Trace = { write: (record) => lines.push(JSON.stringify(record)) };
 * ```
 */
export interface Trace {
  /**
   * Receives each record in the order of the wire, before the message is handled, so that the recording of a crash is
   * complete. It runs in the read loop: return quickly. Do not modify the message, because the conversation shares
   * parts of it.
   */
  readonly write: (record: TrafficRecord) => unknown;
  /**
   * Returns a copy of a message without secrets. It must not modify the message. Default: `redact`, which covers the
   * fields in which the protocol carries secrets. `(message) => message` keeps them. A secret of at least 8 characters
   * that it removes from a call is also removed if the agent sends it back, also in updates.
   */
  readonly redact?: ((message: unknown) => unknown) | undefined;
  /**
   * The maximum length of a recorded string, in characters. A longer string is truncated, and the recording then folds
   * to a different conversation. Default: 65,536. `Infinity` records everything.
   */
  readonly maxTextLength?: number | undefined;
}

const defaultMaxTextLength = 65_536;

/**
 * Creates the function that records a message. It never throws: a failing trace becomes a diagnostic.
 *
 * @param channelSecrets - What the channel sends beside the messages. It is removed whatever `redact` does.
 */
export function tracer(
  { write, redact: removeSecrets = redact, maxTextLength = defaultMaxTextLength }: Trace,
  report: DiagnosticListener,
  channelSecrets: SentSecrets,
): (dir: TrafficRecord['dir'], message: unknown) => void {
  const startedAt = performance.now();
  const sent = new SentSecrets();
  const withoutSecrets = (dir: TrafficRecord['dir'], message: unknown) => {
    const redacted = removeSecrets(message);
    if (isThenable(redacted)) {
      Promise.resolve(redacted).catch(() => {});
      throw new TypeError('redact returned a promise, and must return the message');
    }
    if (dir === 'out' && isJsonObject(message)) {
      const secrets = secretsIn(message['params']).slice(-maxKnownTexts);
      // What `redact` leaves in a message is not removed from the answers either.
      const text = secrets.length > 0 ? JSON.stringify(redacted) : '';
      sent.add(secrets.filter((secret) => !text.includes(JSON.stringify(secret).slice(1, -1))));
    }
    return channelSecrets.removeFromMessage(sent.removeFromMessage(redacted));
  };
  const failed = listenerFailed('The trace', report);
  return (dir, message) => {
    const t = Math.round(performance.now() - startedAt);
    callListener(() => write({ dir, t, msg: shorten(withoutSecrets(dir, message), maxTextLength) }), failed);
  };
}
