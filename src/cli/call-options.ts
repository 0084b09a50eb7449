import type { CallOptions } from '../client/calls.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';

/** What every call of a command is made with: Ctrl-C ends it, and so does `--timeout`. */
export function callOptions({ timeoutMs }: Invocation, { interrupts }: Context): CallOptions {
  return { signal: interrupts.signal, ...(timeoutMs !== undefined && { timeoutMs }) };
}
