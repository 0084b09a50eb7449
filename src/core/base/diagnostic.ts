import { someMember } from './json.ts';
import { shortened } from './printable.ts';
import { withoutUrlCredentials } from './secrets.ts';

/** The kind of a diagnostic. Later versions can add rules: ignore unknown ones. */
export type DiagnosticRule =
  | 'transport.noise'
  | 'transport.truncated'
  | 'transport.close_failed'
  /** How a remote agent is reached: over a WebSocket or over streamable HTTP. */
  | 'transport.chosen'
  /** The stream of a remote agent broke. What was done is in the message. */
  | 'transport.stream'
  /** The server gives no order between the answers and the messages of a session. */
  | 'transport.order'
  | 'rpc.batch'
  | 'rpc.invalid_message'
  | 'rpc.invalid_response'
  | 'rpc.unknown_response'
  | 'rpc.error_without_id'
  | 'rpc.null_id'
  | 'rpc.unknown_notification'
  | 'rpc.unknown_request'
  | 'rpc.too_many_requests'
  | 'rpc.too_many_notifications'
  | 'protocol.dialect'
  | 'protocol.dialect_assumed'
  /** The program advertises a capability that this library does not know. */
  | 'protocol.newer_capability'
  /** The agent answered `initialize` with an error, and was asked again without a part of what the program offers. */
  | 'protocol.offer_refused'
  | 'protocol.malformed_update'
  | 'protocol.malformed_result'
  | 'protocol.malformed_request'
  | 'protocol.unknown_session'
  | 'protocol.duplicate_message_id'
  | 'handler.missing'
  | 'handler.failed'
  | 'handler.invalid_answer'
  | 'subscriber.failed'
  | 'connection.restart_failed'
  | 'connection.ended'
  /** The program asked for a feature that has no such name. The answer was that it is not supported. */
  | 'client.unknown_feature'
  /** A bug in this library: please report it. The message was dropped. */
  | 'client.failed'
  | 'session.stalled'
  /** A turn goes on more than three seconds after a cancel. */
  | 'session.cancel_ignored'
  | 'session.empty_turn'
  /** A session was opened in a directory that does not exist on this machine. */
  | 'session.missing_directory'
  /** The mode of a session does not ask for permission: the handler protects nothing. */
  | 'session.does_not_ask'
  /** How the agent reaches the tools of the editor. */
  | 'tools.transport'
  /** A tool of the editor threw. The agent got an error without the reason. */
  | 'tools.failed'
  /** A tool of the editor returned what an agent cannot get. */
  | 'tools.invalid_result'
  /** A call of a tool was under way when the session or the agent ended. */
  | 'tools.interrupted'
  /** Something without the right to do so asked for the tools of the editor. */
  | 'tools.refused'
  /** The transcript of a session could not be written. It is tried again. */
  | 'transcripts.not_written'
  /** A file of a transcript cannot be read, or not completely. */
  | 'transcripts.damaged';

/** A problem that does not belong to a pending call. */
export interface Diagnostic {
  readonly rule: DiagnosticRule;
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
  /** The session of `session.stalled` and `session.cancel_ignored`. */
  readonly sessionId?: string | undefined;
  /** The received value, shortened. It never contains what the client sent. */
  readonly received?: string | undefined;
}

/** Receives diagnostics. It runs in the read loop: return quickly, and do not throw. */
export type DiagnosticListener = (diagnostic: Diagnostic) => void;

/** The maximum length of a preview, in characters. */
const previewLength = 256;

/** How much of a text is searched for the end of a URL's password, in characters. */
const urlLength = 2048;

/** The maximum nesting depth of a preview. */
const previewDepth = 16;

/**
 * Keys whose values may be secrets. A preview leaves the values out, because an agent may send secrets back and a
 * preview may end up in a log.
 */
const secretKey =
  /^(?:env|headers|_meta)$|(?:token|secret|password|passphrase|api[-_]?key|private[-_]?key|authorization|credentials?|cookie)$/i;

/** Stands for a value that throws when it is read, such as one with a getter or a `toString` that throws. */
const unreadable = 'a value that cannot be shown';

/** The start of a value for use in a message: a string as it is, any other value as JSON, without known secrets. */
export function preview(value: unknown): string {
  try {
    const text =
      typeof value === 'string' ? startOf(value, previewLength) : excerpt(value, previewLength, previewDepth);
    return shortened(text, previewLength);
  } catch {
    return unreadable;
  }
}

/** The text without passwords in URLs, and without what is certainly cut off. */
function startOf(text: string, maxLength: number): string {
  // A password that is cut off could not be recognized.
  return withoutUrlCredentials(text.slice(0, maxLength + urlLength)).slice(0, maxLength + 1);
}

/** The value as JSON, cut off after about `maxLength` characters. The rest of the value is not visited. */
function excerpt(value: unknown, maxLength: number, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(startOf(value, maxLength));
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth === 0) return '…';
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  let text = open ?? '';
  const isCut = someMember(value, (member, key) => {
    if (text.length > maxLength) return true;
    if (text.length > 1) text += ',';
    if (typeof key === 'string') text += `${excerpt(key, maxLength, 1)}:`;
    const isSecret = typeof key === 'string' && secretKey.test(key) && member !== null;
    text += isSecret ? '"[redacted]"' : excerpt(member, maxLength - text.length, depth - 1);
    return false;
  });
  return isCut ? text : text + close;
}

/** A warning about what the agent or the server sent. `received` is that, and is left out where it says nothing. */
export function warning(rule: DiagnosticRule, message: string, received?: unknown): Diagnostic {
  return {
    rule,
    severity: 'warning',
    message,
    ...(received !== undefined && { received: preview(received) }),
  };
}

/** The message of any thrown value. It never throws, also for a value that cannot be converted to text. */
export function errorMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return unreadable;
  }
}

/** The `code` of an error of the system or of an editor, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The report of a listener of the editor that failed: that threw, or returned a promise that rejected. */
export function listenerFailed(
  listener: string,
  report: DiagnosticListener,
  rule: DiagnosticRule = 'subscriber.failed',
): (error: unknown) => void {
  return (error) => {
    const message = `${listener} failed: ${errorMessage(error).replace(/\.$/, '')}.`;
    report({ rule, severity: 'error', message });
  };
}
