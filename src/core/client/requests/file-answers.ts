import * as rpcCodes from '../../rpc/codes.ts';
import { RequestError } from '../../rpc/request-error.ts';

// What every handler of files answers to an agent.

/** The answer for a path or a text with which the request cannot be served. */
export function refused(message: string, path: string): RequestError {
  return new RequestError(rpcCodes.invalidParams, message, { path });
}

/** The answer for a file that does not exist. */
export function notFound(path: string, uri: string): RequestError {
  return new RequestError(rpcCodes.notFound, `There is no file ${path}.`, { path, uri });
}

/** The answer for a path outside the directories that the editor shares. */
export function outside(path: string, folders: readonly string[]): RequestError {
  const remedy =
    folders.length === 0 ? 'It shares none at present.' : `Use a path inside ${folders.join(' or ')}.`;
  const message = `${path} is outside the directories that the editor shares. ${remedy}`;
  // The client converts the paths of the data, and those in the message, for an agent that sees other paths.
  return new RequestError(rpcCodes.invalidParams, message, { path, folders });
}

/** The answer to a request that the agent withdrew, or whose connection has ended. */
export function withdrawn(): RequestError {
  return new RequestError(rpcCodes.cancelled, 'The agent withdrew its request.');
}

/** Throws the answer to a withdrawn request if `signal` is aborted. */
export function assertNotWithdrawn(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw withdrawn();
}

/** Throws if `text` has no UTF-8 form. An editor would write U+FFFD instead of an unpaired surrogate. */
export function assertWellFormed(what: string, text: string, path: string): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw refused(
    `${what} contains an unpaired surrogate, which is not valid Unicode. Correct the text.`,
    path,
  );
}

/** The text of a file. Throws if its bytes are not UTF-8. A byte order mark is part of the text. */
export function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(`${path} is not UTF-8 text.`, path);
  }
}
