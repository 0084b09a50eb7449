import { AcpError, UsageError } from '../../base/errors.ts';

type Callable = (...values: never[]) => unknown;

/** Errors that name a call already. */
const named = new WeakSet<AcpError>();

/** A frame of a V8 stack trace. */
const frame = /^ +at .*$/gm;

/**
 * Remembers where the user made a call. The returned function names the call in an error of it, and gives the error the
 * stack of the call: what rejects later has no frame of the user's code.
 *
 * An error of the channel can reject several calls. It names none of them, and its stack lists the places of all.
 *
 * @param target - What has the function that the user called. Its frame and those that it calls are left out.
 * @param call - The name of that function.
 */
export function callSite<K extends string>(
  target: { readonly [N in K]: Callable },
  call: K,
): <T>(error: T) => T {
  const place: { stack?: string } = {};
  // Only V8 and JavaScriptCore have it.
  Error.captureStackTrace?.(place, target[call]);
  return (error) => {
    if (!(error instanceof AcpError)) return error;
    const frames = place.stack?.match(frame)?.join('\n');
    if (error.method === undefined && !(error instanceof UsageError)) {
      if (frames !== undefined && !error.stack?.includes(frames))
        setStack(error, `${error.stack}\n${frames}`);
      return error;
    }
    if (named.has(error)) return error;
    named.add(error);
    if (!error.message.startsWith(call)) error.message = `${call}: ${error.message}`;
    if (frames !== undefined) setStack(error, `${error.name}: ${error.message}\n${frames}`);
    return error;
  };
}

/** Runs a call of the user. Its error names the call, see {@link callSite}. */
export async function runCall<K extends string, T>(
  target: { readonly [N in K]: Callable },
  call: K,
  run: () => T | Promise<T>,
): Promise<T> {
  const withSite = callSite(target, call);
  try {
    return await run();
  } catch (error) {
    throw withSite(error);
  }
}

/** The stack stays a property that is not listed. */
function setStack(error: Error, value: string): void {
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true, enumerable: false });
}
