import { describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import {
  abortSignal,
  callback,
  checkOptions,
  delayMs,
  integerBetween,
  numberBetween,
  oneOf,
  optional,
  optionsObject,
  timeoutMs,
} from '../../../src/core/base/options.ts';

const schema = optionsObject({
  timeoutMs: optional(timeoutMs),
  onDone: optional(callback),
  signal: optional(abortSignal),
  mode: optional(oneOf('fast', 'safe')),
  retries: optional(integerBetween(0, 5)),
  ratio: optional(numberBetween(0, 1)),
  firstDelayMs: optional(delayMs),
});

function failureOf(options: unknown): InvalidParamsError {
  try {
    checkOptions('start', schema, options);
  } catch (error) {
    if (error instanceof InvalidParamsError) return error;
    throw error;
  }
  throw new Error('The options were accepted.');
}

describe('checkOptions', () => {
  test('returns valid options, and treats undefined as left out', () => {
    const options = {
      timeoutMs: Number.POSITIVE_INFINITY,
      onDone: () => {},
      signal: new AbortController().signal,
      mode: 'safe',
      retries: 0,
      ratio: 0.5,
      firstDelayMs: 0,
    };
    expect(checkOptions('start', schema, options)).toEqual(options);
    expect(checkOptions('start', schema, { timeoutMs: undefined, mode: undefined })).toEqual({});
  });

  test.each([
    ['timeoutMs', 0, 'must be a number of milliseconds above 0, or Infinity; got 0'],
    ['timeoutMs', Number.NaN, 'must be a number of milliseconds above 0, or Infinity; got NaN'],
    ['timeoutMs', '5', 'must be a number of milliseconds above 0, or Infinity; got "5"'],
    ['onDone', 'log', 'must be a function; got a string'],
    ['signal', {}, 'must be the signal of an AbortController; got an object'],
    ['mode', 'slow', 'must be one of fast, safe; got "slow"'],
    ['mode', ['fast'], 'must be one of fast, safe; got an array'],
    ['retries', 1.5, 'must be a whole number from 0 to 5; got 1.5'],
    ['retries', 6, 'must be a whole number from 0 to 5; got 6'],
    ['ratio', 2, 'must be a number from 0 to 1; got 2'],
    ['firstDelayMs', Number.POSITIVE_INFINITY, 'must be a number from 0 to 2147483647; got Infinity'],
  ])('refuses %s: %j', (path, value, message) => {
    const error = failureOf({ [path]: value });
    expect(error.issues).toEqual([{ path, message }]);
    expect(error.message).toBe(`start: ${path} ${message}. Nothing was done.`);
    expect(error.code).toBe('usage.params');
  });

  test('refuses a name that is not an option, and lists the options', () => {
    expect(failureOf({ timeoutMS: 5 }).issues).toEqual([
      {
        path: 'timeoutMS',
        message: 'is not an option: use one of timeoutMs, onDone, signal, mode, retries, ratio, firstDelayMs',
      },
    ]);
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [7, 'a number'],
    ['fast', 'a string'],
    [[], 'an array'],
    [() => {}, 'a function'],
  ])('refuses options that are %j, and does not repeat them', (options, kind) => {
    const message = expect.stringMatching(
      new RegExp(`^must be an object with timeoutMs, onDone.+; got ${kind}$`),
    );
    expect(failureOf(options).issues).toEqual([{ path: 'options', message }]);
  });

  test('reports everything that is wrong', () => {
    const { issues, message } = failureOf({ timeoutMs: -1, mode: 'slow', other: true });
    expect(issues?.map(({ path }) => path)).toEqual(['timeoutMs', 'mode', 'other']);
    expect(message.match(/; (?!got)/g)).toHaveLength(2);
  });

  test('accepts a signal of another realm', () => {
    const foreign = { aborted: false, addEventListener: () => {} };
    expect(checkOptions('start', schema, { signal: foreign })).toEqual({ signal: foreign });
  });

  test('does not repeat a long value', () => {
    expect(failureOf({ mode: 'x'.repeat(10_000) }).message.length).toBeLessThan(300);
  });
});
