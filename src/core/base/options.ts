import * as v from 'valibot';
import { errorMessage } from './diagnostic.ts';
import { AcpError, InvalidParamsError } from './errors.ts';
import { issuesOf, listed } from './issue.ts';
import { kindOf } from './kind-of.ts';
import { maxTimerMs } from './wait.ts';

/**
 * Reads what a function of this library was called with. A value that throws when it is read, such as a getter of a
 * class or a revoked proxy, is a wrong value.
 *
 * @throws {@link InvalidParamsError}
 */
export function readInput<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (AcpError.is(error)) throw error;
    const message = `A value that was passed cannot be read: ${errorMessage(error)}. Nothing was sent. Pass plain objects.`;
    throw new InvalidParamsError(message, { cause: error });
  }
}

/**
 * Checks what a function of this library was called with, and returns it.
 *
 * @param call - The function, as the user names it.
 * @param consequence - What did not happen, for the end of the message.
 * @throws {@link InvalidParamsError} with everything that is wrong.
 */
export function checkOptions<S extends v.GenericSchema>(
  call: string,
  schema: S,
  options: unknown,
  consequence = 'Nothing was done.',
): v.InferOutput<S> {
  const result = readInput(() => v.safeParse(schema, options));
  if (result.success) return result.output;
  const issues = issuesOf(result.issues, 'options');
  throw new InvalidParamsError(`${call}: ${listed(issues)}. ${consequence}`, { issues });
}

type Entries = Readonly<Record<string, v.GenericSchema>>;
type OptionsSchema<E extends Entries> = v.StrictObjectSchema<E, undefined>;

/** An object with these options and no others: otherwise a misspelt option would be silently ignored. */
export function optionsObject<const E extends Entries>(
  entries: E,
): v.GenericSchema<v.InferInput<OptionsSchema<E>>, v.InferOutput<OptionsSchema<E>>> {
  const names = Object.keys(entries).join(', ');
  const object = v.custom<object>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    ({ input }) => `must be an object with ${names}; got ${kindOf(input)}`,
  );
  // Unlike `strictObject`, this reports every unknown name and not only the first.
  const options = v.objectWithRest(entries, v.never(`is not an option: use one of ${names}`), 'is missing');
  // The rest never has a value, so the type of the entries is the whole type.
  return v.pipe(object, options) as never;
}

/** An option that may be left out. `undefined` is the same as left out. */
export const optional = <S extends v.GenericSchema>(schema: S) => v.optional(schema);

/** Whether a value has these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Object(value)[name] === 'function');
}

/** A function. */
export const callback = v.custom<(...values: never[]) => unknown>(
  (value) => typeof value === 'function',
  ({ input }) => `must be a function; got ${kindOf(input)}`,
);

/** An `AbortSignal`, recognized by what it can do: a signal of another window has another class. */
export const abortSignal = v.custom<AbortSignal>(
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
  ({ input }) => `must be the signal of an AbortController; got ${kindOf(input)}`,
);

/** Milliseconds of a limit. `Infinity` is no limit. */
export const timeoutMs = v.custom<number>(
  (value) => typeof value === 'number' && value > 0,
  ({ input }) => `must be a number of milliseconds above 0, or Infinity; got ${shown(input)}`,
);

/** Milliseconds of a pause that a timer can make. */
export const delayMs = numberBetween(0, maxTimerMs);

/** A number within bounds, both included. */
export function numberBetween(least: number, most: number) {
  return v.custom<number>(
    (value) => typeof value === 'number' && value >= least && value <= most,
    ({ input }) => `must be a number from ${least} to ${most}; got ${shown(input)}`,
  );
}

/** A whole number within bounds, both included. */
export function integerBetween(least: number, most: number) {
  return v.custom<number>(
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    ({ input }) => `must be a whole number from ${least} to ${most}; got ${shown(input)}`,
  );
}

/** One of a few strings. */
export function oneOf<const T extends string>(...values: readonly T[]) {
  return v.custom<T>(
    (value) => values.some((known) => known === value),
    ({ input }) => `must be one of ${values.join(', ')}; got ${shown(input)}`,
  );
}

/** The value where it is a number or a short text, otherwise its kind. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : kindOf(value);
}
