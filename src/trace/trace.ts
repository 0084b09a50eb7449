import { type DiagnosticListener, errorMessage } from '../diagnostic.ts';
import { redact } from './redact.ts';
import { shorten } from './shorten.ts';
import type { TrafficRecord } from './traffic.ts';

/**
 * Where the traffic with an agent is recorded, and what of it.
 *
 * @example
 * ```ts
 * const lines: string[] = [];
 * const trace: Trace = { write: (record) => lines.push(JSON.stringify(record)) };
 * ```
 */
export interface Trace {
  /**
   * Takes each record, in the order of the wire and before the message is handled, so that a recording of a crash is
   * whole. Called on the read loop: be quick. Parts of a message may be parts of a conversation: do not write to them.
   */
  readonly write: (record: TrafficRecord) => unknown;
  /**
   * Takes the secrets out of a message, and must leave the message itself as it is. Default: `redact`, which knows
   * where the protocol has them. `(message) => message` keeps them.
   */
  readonly redact?: (message: unknown) => unknown;
  /**
   * The longest text that is recorded whole, in characters. Of a longer one the beginning stays: enough to see what
   * it was, not enough to fold to the same conversation. Default: 65,536; `Infinity` records all as it is.
   */
  readonly maxTextLength?: number;
}

const defaultMaxTextLength = 65_536;

/** What a connection calls with each message. Never throws: a trace that fails is a diagnostic, and no more. */
export function tracer(
  { write, redact: hide = redact, maxTextLength = defaultMaxTextLength }: Trace,
  report: DiagnosticListener,
): (dir: TrafficRecord['dir'], message: unknown) => void {
  const beginning = performance.now();
  return (dir, message) => {
    try {
      const t = Math.round(performance.now() - beginning);
      write({ dir, t, msg: shorten(hide(message), maxTextLength) });
    } catch (error) {
      const said = errorMessage(error);
      report({ rule: 'subscriber.failed', severity: 'error', message: `The trace failed: ${said}.` });
    }
  };
}
