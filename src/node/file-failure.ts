import { pathToFileURL } from 'node:url';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';
import { OutsideRootsError } from './roots.ts';

/** The answer for a path with which the request cannot be served. */
export function refused(message: string, path: string): RequestError {
  return new RequestError(rpcCodes.invalidParams, message, { path });
}

/** The answer for a file that does not exist. */
export function notFound(path: string): RequestError {
  return new RequestError(rpcCodes.notFound, `There is no file ${path}.`, {
    path,
    uri: pathToFileURL(path).href,
  });
}

/** The answer for a path outside the roots. */
export function outside(path: string, folders: readonly string[]): RequestError {
  const remedy =
    folders.length === 0 ? 'It shares none at present.' : `Use a path inside ${folders.join(' or ')}.`;
  const message = `${path} is outside the directories that the editor shares. ${remedy}`;
  // The client converts the paths of the data, and those in the message, for an agent that sees other paths.
  return new RequestError(rpcCodes.invalidParams, message, { path, folders });
}

/**
 * Translates an error of the system into an answer for the agent. Returns other errors unchanged: they are answers
 * already, or come from the editor.
 */
export function fileFailure(error: unknown, path: string): unknown {
  if (error instanceof OutsideRootsError) return outside(path, error.folders);
  const code = codeOf(error);
  if (code === undefined) return error;
  const answer = answers[code];
  if (answer) return answer(path);
  return new RequestError(rpcCodes.internalError, `The system refused to use ${path}: ${code}.`, { path });
}

/** The error for a path that changed during the request, with the code of a link. */
export function changedPath(): Error {
  return Object.assign(new Error('The path changed during the request.'), { code: 'ELOOP' });
}

/** The `code` of an error of the system. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

type Answer = (path: string) => RequestError;

const denied: Answer = (path) =>
  new RequestError(
    rpcCodes.internalError,
    `The system denies access to ${path}: the user has to change its permissions.`,
    { path },
  );

const answers: Readonly<Record<string, Answer>> = {
  ENOENT: notFound,
  ENOTDIR: (path) => refused(`A part of ${path} is a file, not a directory.`, path),
  EISDIR: (path) => refused(`${path} is a directory. Name a file.`, path),
  ELOOP: (path) => refused(`${path} leads through a link that changed, or that leads to itself.`, path),
  ENAMETOOLONG: (path) => refused(`${path} has a name that is too long for the file system.`, path),
  EACCES: denied,
  EPERM: denied,
  EBUSY: (path) =>
    new RequestError(rpcCodes.internalError, `Another program uses ${path}. Try again later.`, { path }),
  EROFS: (path) =>
    new RequestError(rpcCodes.internalError, `${path} is on a file system that is read-only.`, { path }),
  ENOSPC: (path) =>
    new RequestError(rpcCodes.internalError, `There is no space left to write ${path}.`, { path }),
};
