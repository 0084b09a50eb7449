import { isJsonObject } from './json.ts';
import { printable, shortened, stackFrame } from './printable.ts';

/** The maximum length of a reason, in characters. */
const maxLength = 500;

/** The maximum length of the agent's message in an error, in characters. */
const maxTextLength = 4000;

/** The maximum number of objects and JSON texts that are nested in each other. */
const maxDepth = 6;

/** The fields in which agents put the reason, the most specific first. */
const reasonFields = ['details', 'detail', 'message', 'reason', 'error'] as const;

/** The first `message` in a text that is JSON cut off in the middle. */
const messageInJson = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** How much of a text that is not JSON is searched for a message, in characters. */
const maxScannedLength = 8192;

/**
 * How much of a text is read, in characters. Longer JSON is not parsed: the limits of a message do not hold for the
 * JSON in one of its texts.
 */
const maxReadLength = 1_048_576;

/** The message of an agent's error, with the reason that its data gives. Some agents send JSON as the message. */
export function agentText(agentMessage: string, data: unknown): string {
  const message = shortened(reasonInJson(agentMessage, 0) ?? agentMessage, maxTextLength);
  const reason = remoteReason(data);
  // Both, unless one contains the other.
  if (reason === undefined || contains(message, reason)) return message;
  if (contains(reason, message)) return reason;
  return `${message.replace(/(?<![\s.:])[\s.:]+$/, '')}: ${reason}`;
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.replace(/(?<![\s.:])[\s.:]+$/, '').toLowerCase());
}

/**
 * Finds the reason of an error in the `data` of a JSON-RPC error. Agents send a string, an object with one of several
 * fields, or such an object as JSON text.
 *
 * @returns One line of at most 500 characters without control characters; `undefined` if there is no reason.
 */
export function remoteReason(data: unknown): string | undefined {
  const reason = findReason(data, 0);
  return reason === undefined ? undefined : shortened(reason, maxLength - 1);
}

function findReason(data: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof data === 'string') return reasonInJson(data, depth) ?? (oneLine(data) || undefined);
  if (!isJsonObject(data)) return undefined;
  for (const field of reasonFields) {
    const reason = Object.hasOwn(data, field) ? findReason(data[field], depth + 1) : undefined;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The reason in a text that is a JSON object; `undefined` for any other text. */
function reasonInJson(text: string, depth: number): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  if (text.length > maxReadLength) return messageIn(text);
  try {
    return findReason(JSON.parse(text), depth + 1);
  } catch {
    return messageIn(text);
  }
}

/** The first message in a text that is the beginning of JSON. */
function messageIn(text: string): string | undefined {
  // Bounded, because the pattern repeats a group.
  const message = messageInJson.exec(text.slice(0, maxScannedLength))?.[1];
  if (message === undefined) return undefined;
  try {
    return oneLine(String(JSON.parse(message))) || undefined;
  } catch {
    return undefined;
  }
}

/** The text on one line, without the frames of a stack trace. */
function oneLine(text: string): string {
  const lines = text.slice(0, maxReadLength).split(/\r\n|[\n\r\u2028\u2029]/);
  const withoutFrames = lines.filter((line) => !stackFrame.test(line)).join(' ');
  return printable(withoutFrames).replace(/\s+/g, ' ').trim();
}
