import { isAbsolute, resolve } from 'node:path';
import { InvalidParamsError, type Issue } from '../errors.ts';
import { listed } from '../issue.ts';

/** What is wrong with the value that was given at `path`. */
export type Check = (value: unknown, path: string) => Iterable<Issue>;

/** Throws `InvalidParamsError` with all that is wrong with the options of `call`. */
export function assertOptions(call: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  const issues = [...optionsOf(checks)(options, '')];
  if (issues.length === 0) return;
  throw new InvalidParamsError(`${call}: ${listed(issues)}. Nothing was done.`, { issues });
}

/** An object with these options and no others. */
export function optionsOf(checks: Readonly<Record<string, Check>>): Check {
  return function* (value, path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return yield { path: path || 'options', message: `is ${kindOf(value)}: pass an object` };
    }
    const at = (name: string) => (path === '' ? name : `${path}.${name}`);
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(checks, name)) continue;
      yield { path: at(name), message: `is no option: there are ${Object.keys(checks).join(', ')}` };
    }
    for (const [name, check] of Object.entries(checks)) yield* check(Reflect.get(value, name), at(name));
  };
}

export function optional(check: Check): Check {
  return (value, path) => (value === undefined ? [] : check(value, path));
}

export function arrayOf(check: Check): Check {
  return function* (value, path) {
    if (!Array.isArray(value)) return yield { path, message: `is ${kindOf(value)}: pass an array` };
    for (const [index, item] of value.entries()) yield* check(item, `${path}[${index}]`);
  };
}

/** A string that the system can take. It is never repeated: arguments and variables hold keys. */
export function* text(value: unknown, path: string): Iterable<Issue> {
  if (typeof value !== 'string') yield { path, message: `is ${kindOf(value)}: pass a string` };
  else if (value.includes('\0'))
    yield { path, message: 'has a zero character in it, which no system passes on' };
}

export function* absolutePath(value: unknown, path: string): Iterable<Issue> {
  yield* text(value, path);
  if (typeof value !== 'string' || isAbsolute(value)) return;
  const message = `is "${value}", which is relative: pass an absolute path, for instance "${resolve(value)}"`;
  yield { path, message };
}

/** Changes to the environment. */
export function* environment(value: unknown, path: string): Iterable<Issue> {
  if (typeof value !== 'object' || value === null) {
    return yield { path, message: `is ${kindOf(value)}: pass an object of strings` };
  }
  for (const [name, variable] of Object.entries(value)) {
    if (variable !== undefined) yield* text(variable, `${path}.${name}`);
    if (name === '' || /[=\0]/.test(name))
      yield { path, message: `has the impossible name ${JSON.stringify(name)}` };
  }
}

export function* abortSignal(value: unknown, path: string): Iterable<Issue> {
  // By what it can do: a window has a class of its own.
  if (typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value)
    return;
  yield { path, message: `is ${kindOf(value)}: pass an AbortSignal` };
}

export function wholeNumber(least: number, most: number): Check {
  return function* (value, path) {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return;
    const shown = typeof value === 'number' ? String(value) : kindOf(value);
    yield { path, message: `is ${shown}: pass a whole number from ${least} to ${most}` };
  };
}

export function* callback(value: unknown, path: string): Iterable<Issue> {
  if (typeof value !== 'function') yield { path, message: `is ${kindOf(value)}: pass a function` };
}

/** What kind of value it is, for a message that must not repeat it. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}

export function oneOf(...values: readonly string[]): Check {
  return function* (value, path) {
    if (typeof value === 'string' && values.includes(value)) return;
    const shown = typeof value === 'string' ? JSON.stringify(value) : kindOf(value);
    yield {
      path,
      message: `is ${shown}: pass ${values.map((allowed) => JSON.stringify(allowed)).join(' or ')}`,
    };
  };
}
