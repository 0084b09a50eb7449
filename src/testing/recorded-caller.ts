import * as v from 'valibot';
import type { Preparing } from '../client/calls.ts';
import { preview } from '../diagnostic.ts';
import { InvalidMessageError } from '../errors.ts';
import type { CallName, Calls } from '../protocol/calls.ts';
import type { Dialect } from '../protocol/dialect.ts';

/** What stands in for the connection of a session: makes no call, and has its answer from the recording. */
export function recordedCaller(dialect: Dialect, answer: Promise<unknown>): Preparing {
  return {
    prepare: (name) => async () => decodeRecorded(dialect, name, await answer),
    refusal: () => undefined,
  };
}

/** Reads a recorded answer as the live connection reads one. */
export function decodeRecorded<K extends CallName>(dialect: Dialect, name: K, result: unknown): Calls[K][1] {
  const call = dialect.calls[name];
  const schema = call?.descriptor.result;
  // A notification has no result, as its entry in the table says.
  if (call && !schema) return undefined as Calls[K][1];
  const parsed = schema && v.safeParse(schema, result);
  if (!call || !parsed?.success) {
    throw new InvalidMessageError(`The recorded answer to ${name} is none: ${preview(result)}`);
  }
  // Sound: the table pairs each call's name with its output.
  return call.decode(parsed.output) as Calls[K][1];
}
