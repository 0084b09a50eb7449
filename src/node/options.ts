import { isAbsolute, resolve } from 'node:path';
import * as v from 'valibot';
import { kindOf, optional } from '../options.ts';

/**
 * A string that can be passed to the system. Messages never repeat it: arguments and environment variables often
 * contain keys.
 */
export const systemString = v.custom<string>(
  (value) => typeof value === 'string' && !value.includes('\0'),
  ({ input }) =>
    typeof input === 'string'
      ? 'contains a NUL character, which cannot be passed to a program: remove it'
      : `is ${kindOf(input)}: pass a string`,
);

/** A path that is absolute on this platform. */
export const absolutePath = v.pipe(
  systemString,
  v.check(
    (path) => isAbsolute(path),
    ({ input }) => `is "${input}", which is relative: pass an absolute path, for example "${resolve(input)}"`,
  ),
);

/** Changes to the environment. `undefined` removes a variable. */
export const environment = v.pipe(
  v.record(
    v.string(),
    optional(systemString),
    ({ input }) => `is ${kindOf(input)}: pass an object whose values are strings or undefined`,
  ),
  v.check(
    (variables) => Object.keys(variables).every((name) => name !== '' && !/[=\0]/.test(name)),
    'has a name that is empty, or that contains "=" or a NUL character: correct the name',
  ),
);

/** An array whose items match `item`. */
export function arrayOf<const S extends v.GenericSchema>(item: S) {
  return v.array(item, ({ input }) => `is ${kindOf(input)}: pass an array`);
}
