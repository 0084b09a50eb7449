import { shortened } from './printable.ts';

/** What a diagnostic is about. The list grows: ignore the rules that you do not know. */
export type DiagnosticRule =
  | 'transport.noise'
  | 'transport.truncated'
  | 'rpc.batch'
  | 'rpc.invalid_message'
  | 'rpc.invalid_response'
  | 'rpc.unknown_response'
  | 'rpc.error_without_id'
  | 'rpc.null_id'
  | 'rpc.unknown_notification'
  | 'rpc.unknown_request'
  | 'rpc.too_many_requests'
  | 'protocol.dialect'
  | 'protocol.malformed_update'
  | 'protocol.malformed_result'
  | 'protocol.unknown_session'
  | 'handler.failed'
  | 'handler.invalid_answer'
  | 'subscriber.failed'
  | 'connection.restart_failed'
  | 'connection.ended'
  /** A fault of this library: please report it. The message was dropped, and the next one goes on. */
  | 'client.failed'
  | 'session.stalled';

/** Something that went wrong and that nobody awaits, as data. */
export interface Diagnostic {
  readonly rule: DiagnosticRule;
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
  /** What was received, shortened; never what the editor sent. */
  readonly received?: string;
}

/** Takes a diagnostic. It is called on the read loop: be quick, and do not throw. */
export type DiagnosticListener = (diagnostic: Diagnostic) => void;

/** How much of what was received a diagnostic or an error repeats, in characters. */
const previewLength = 256;

/** How deep a preview looks. */
const previewDepth = 16;

/**
 * The keys under which keys and passwords stand. An agent may send back what it was given, and a preview may end in
 * a log: their values are not repeated.
 */
const secretKey =
  /^(?:env|headers|_meta)$|(?:token|secret|password|passphrase|api[-_]?key|private[-_]?key|authorization|credentials?|cookie)$/i;

/** The beginning of `value`, as JSON unless it is text, short enough for a message, without what secrets it names. */
export function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : excerpt(value, previewLength, previewDepth);
  return shortened(text, previewLength);
}

/** JSON that is cut off after about `room` characters: what is left out is never looked at, however much it is. */
function excerpt(value: unknown, room: number, depth: number): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > room ? value.slice(0, room + 1) : value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth === 0) return '…';
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  let text = open ?? '';
  for (const key in value) {
    if (text.length > room) return text;
    if (text.length > 1) text += ',';
    if (open === '{') text += `${excerpt(key, room, 1)}:`;
    const item: unknown = value[key as keyof typeof value];
    text +=
      secretKey.test(key) && item !== null ? '"[redacted]"' : excerpt(item, room - text.length, depth - 1);
  }
  return text + close;
}

/** What something that was thrown says, whatever it is. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
