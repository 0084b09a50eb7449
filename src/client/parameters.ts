import { preview } from '../diagnostic.ts';
import { InvalidParamsError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { CallOptions } from './calls.ts';

const optionKeys = ['signal', 'timeoutMs', 'allowUnsupported'] as const satisfies (keyof CallOptions)[];

/** The options of a call stand beside its parameters or after them, as the caller likes. */
export function separate<P extends CallOptions>(
  given: P,
  options: CallOptions = {},
): [Omit<P, keyof CallOptions>, CallOptions] {
  // Whether it is an object is for the call to say, which has a promise to reject.
  if (!isJsonObject(given)) return [given, options];
  const { signal, timeoutMs, allowUnsupported, ...params } = given;
  const beside = {
    ...(signal !== undefined && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(allowUnsupported !== undefined && { allowUnsupported }),
  };
  return [params, { ...beside, ...options }];
}

/** Refuses a parameter that means nothing: a misspelt one would otherwise be dropped in silence. */
export function assertKnown(call: string, given: object, known: readonly string[]): void {
  if (!isJsonObject(given)) {
    throw new InvalidParamsError(
      `${call}: the parameters must be an object with ${known.join(', ')}, and are ${preview(given)}. Nothing was sent.`,
    );
  }
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const all = [...known, ...optionKeys].join(', ');
  throw new InvalidParamsError(
    `${call}: there is no option ${JSON.stringify(unknown)}; there are ${all}. Nothing was sent. Data of your own belongs under _meta.`,
  );
}

/**
 * Refuses a session without a name: it is what an editor has before it has a session, and agents do not agree on
 * what it means. The protocol's schemas take any text.
 *
 * @throws {@link InvalidParamsError}
 */
export function assertNamed(method: string, { sessionId }: JsonObject): void {
  if (sessionId !== '') return;
  throw new InvalidParamsError(
    `${method} was called with wrong parameters: sessionId is "": give the id of a session, as listSessions gives them. Nothing was sent.`,
    { method, issues: [{ path: 'sessionId', message: 'is ""' }] },
  );
}

/**
 * Refuses options that would do something else than what was meant: a timer takes what is no number for no time.
 *
 * @throws {@link InvalidParamsError}
 */
export function assertOptions(method: string, { signal, timeoutMs }: CallOptions): void {
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw new InvalidParamsError(
      `${method}: timeoutMs is ${preview(timeoutMs)}; give a number of milliseconds above 0, or Infinity. Nothing was sent.`,
      { method },
    );
  }
  // An AbortSignal of another window is none of this one's class.
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new InvalidParamsError(
      `${method}: signal is ${preview(signal)}; give the signal of an AbortController. Nothing was sent.`,
      { method },
    );
  }
}
