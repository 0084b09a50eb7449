import { codeOf, errorMessage } from '../../core/base/diagnostic.ts';
import { kindOf } from '../../core/base/kind-of.ts';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';

/** The part of the options of `nodeFileSystem` that asks the editor. */
interface EditorBuffers {
  readonly openBuffer?: ((path: string) => string | undefined | Promise<string | undefined>) | undefined;
  readonly writeBuffer?: ((path: string, content: string) => boolean | Promise<boolean>) | undefined;
}

/** The names under which the editor can show a file: the one in the request, and the one without links. */
function namesOf(path: string, realPath: string | undefined): readonly string[] {
  return realPath === undefined || realPath === path ? [path] : [path, realPath];
}

/** The text that the editor shows for a file, or `undefined` to read the file. */
export async function shownText(
  { openBuffer }: EditorBuffers,
  path: string,
  realPath: string | undefined,
): Promise<string | undefined> {
  for (const name of namesOf(path, realPath)) {
    const text = await openBuffer?.(name);
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * Whether the editor wrote the file. Throws a `RequestError` if the editor fails, or does not say what it did.
 *
 * The editor is asked for each name, because it can show the file under both: a text that stays unsaved would be the
 * answer to the next read.
 */
export async function writtenByEditor(
  { writeBuffer }: EditorBuffers,
  path: string,
  realPath: string | undefined,
  content: string,
): Promise<boolean> {
  if (!writeBuffer) return false;
  let isWritten = false;
  for (const name of namesOf(path, realPath)) {
    let result: unknown;
    try {
      result = await writeBuffer(name, content);
    } catch (error) {
      // An error of the system has an answer of its own.
      if (RequestError.is(error) || /^E[A-Z]+$/.test(codeOf(error) ?? '')) throw error;
      throw editorFailure(path, errorMessage(error));
    }
    if (typeof result !== 'boolean') {
      const fault = `its function writeBuffer must return true or false, but returned ${kindOf(result)}`;
      throw editorFailure(path, fault);
    }
    isWritten ||= result;
  }
  return isWritten;
}

function editorFailure(path: string, reason: string): RequestError {
  const message = `The editor could not write ${path}: ${reason.replace(/\.$/, '')}. Read the file to see what it contains.`;
  return new RequestError(rpcCodes.internalError, message, { path });
}
