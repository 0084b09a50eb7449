import { MessageTooLargeError } from '../base/errors.ts';
import { utf8Length } from '../base/utf8-length.ts';

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
