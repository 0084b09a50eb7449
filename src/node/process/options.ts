import { isAbsolute, resolve } from 'node:path';
import * as v from 'valibot';
import { kindOf } from '../../core/base/kind-of.ts';
import { optional } from '../../core/base/options.ts';

/**
 * A string that can be passed to the system. Messages never repeat it: arguments and environment variables often
 * contain keys.
 */
export const systemString = v.custom<string>(
  (value) => typeof value === 'string' && !value.includes('\0'),
  ({ input }) =>
    typeof input === 'string'
      ? 'contains a NUL character, which cannot be passed to a program: remove it'
      : `must be a string; got ${kindOf(input)}`,
);

/** A path that is absolute on this platform. */
export const absolutePath = v.pipe(
  systemString,
  v.check(
    (path) => isAbsolute(path),
    ({ input }) =>
      `must be an absolute path, such as ${JSON.stringify(resolve(input))}; got ${JSON.stringify(input)}`,
  ),
);

/** Changes to the environment. `undefined` removes a variable. */
export const environment = v.pipe(
  v.record(
    v.string(),
    optional(systemString),
    ({ input }) => `must be an object whose values are strings or undefined; got ${kindOf(input)}`,
  ),
  v.check(
    (variables) => Object.keys(variables).every((name) => name !== '' && !/[=\0]/.test(name)),
    'has a name that is empty, or that contains "=" or a NUL character: correct the name',
  ),
);

/** An array whose items match `item`. */
export function arrayOf<const S extends v.GenericSchema>(item: S) {
  return v.array(item, ({ input }) => `must be an array; got ${kindOf(input)}`);
}

/** The part of a handler's context that {@link NodeFileSystem} and {@link NodeTerminals} use. */
export interface NodeHandlerContext {
  /** Aborting ends the request. */
  readonly signal?: AbortSignal | undefined;
}
