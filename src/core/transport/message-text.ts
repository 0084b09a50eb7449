import { MessageTooLargeError } from '../base/errors.ts';
import { utf8Length } from '../base/utf8-length.ts';

/** Each escape in a text of JSON. Half a character is always one, because `JSON.stringify` escapes it. */
const escapes = /\\(?:u(?<half>d[89a-f][\da-f]{2})|.)/g;

/**
 * A message as JSON, with whole characters.
 *
 * @throws what `JSON.stringify` throws
 */
export function writeMessage(message: object): string {
  return withWholeCharacters(JSON.stringify(message));
}

/**
 * A text of `JSON.stringify` in which half a character is U+FFFD. An editor that cuts a text between two code units leaves
 * half a character. Many parsers refuse a message with one, and its sender never gets an answer.
 */
export function withWholeCharacters(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(escapes, (found, half?: string) => (half === undefined ? found : '\ufffd'));
}

/** The maximum length of a message where the caller sets none, in bytes. */
export const defaultMaxMessageBytes = 128 * 1024 * 1024;

/** A code unit is one to three bytes of UTF-8, so that only a text near the limit is encoded to count its bytes. */
export function isLonger(text: string, limitBytes: number): boolean {
  if (text.length > limitBytes) return true;
  return text.length * 3 > limitBytes && utf8Length(text) > limitBytes;
}

/** The error of a channel that stopped at a message above its limit. */
export function messageTooLarge(
  limitBytes: number,
  { kind = 'message', cause }: { readonly kind?: 'message' | 'line'; readonly cause?: unknown } = {},
): MessageTooLargeError {
  const option = { message: 'maxMessageBytes', line: 'maxLineBytes' }[kind];
  const text = `The agent sent a ${kind} longer than ${limitBytes} bytes: reading stopped. Raise ${option} if you expect such messages.`;
  return new MessageTooLargeError(text, { limitBytes, cause });
}
