import { appendFileSync, closeSync, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { InvalidParamsError } from '../../core/base/errors.ts';
import type { Trace } from '../../core/trace/trace.ts';

/**
 * Records the messages of a connection to a file, one per line. Pass it to `connect` as `trace`. A message is in the
 * file before it is handled, so that the recording of a crash is complete.
 *
 * The file is created at once, for this user only, and replaces one that exists. Use one for each connection. If a write
 * fails, the diagnostic `subscriber.failed` says so, and the connection continues.
 *
 * @param path - Relative to the working directory of the process, or absolute.
 * @param options - The options of a trace. Default: secrets are removed, and texts of more than 65,536 characters are
 *   truncated.
 * @throws {@link InvalidParamsError} if the file cannot be created.
 *
 * @example
 * ```ts
 * const connection = await connect(agent, { clientInfo, trace: traceFile('bug.ndjson') });
 * ```
 */
export function traceFile(path: string, options: Omit<Trace, 'write'> = {}): Trace {
  try {
    createFile(path);
  } catch (error) {
    throw fileError(`traceFile: ${path} cannot be written`, error, 'a file that can be created');
  }
  return {
    ...options,
    write: (record) => appendFileSync(path, `${JSON.stringify(record)}\n`),
  };
}

const mode = 0o600;

/** Creates a file for this user only, or empties one that exists. */
function createFile(path: string): void {
  const file = openSync(path, 'w', mode);
  try {
    // One that exists keeps its mode otherwise. A device, such as /dev/null, is for all users.
    if (fstatSync(file).isFile()) fchmodSync(file, mode);
  } catch {
    // A file system without modes, or a file of another user.
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the lines of a recording in a file, for `playback` and `foldTraffic` of `acp-client-sdk/testing`.
 *
 * @param path - Relative to the working directory of the process, or absolute.
 * @throws {@link InvalidParamsError} if the file cannot be read.
 *
 * @example
 * ```ts
 * const { sessions } = await foldTraffic(traceLines('bug.ndjson'));
 * const connection = await connect(playback(traceLines('bug.ndjson')), { clientInfo });
 * ```
 */
export function traceLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    throw fileError(`traceLines: ${path} cannot be read`, error, 'a recording');
  }
}

function fileError(problem: string, cause: unknown, right: string): InvalidParamsError {
  const message = `${problem}: ${errorMessage(cause)}. Pass the path of ${right}.`;
  return new InvalidParamsError(message, { cause });
}
