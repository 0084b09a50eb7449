import { pathToFileURL } from 'node:url';
import { codeOf } from '../../core/base/diagnostic.ts';
import { notFound, outside, refused } from '../../core/client/requests/file-answers.ts';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import { OutsideRootsError } from './roots.ts';

/** The answer for a file that does not exist. */
export function fileNotFound(path: string): RequestError {
  return notFound(path, pathToFileURL(path).href);
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
  return failed(`The system refused to use ${path}: ${code}.`, path);
}

/** The error for a path that changed during the request, with the code of a link. */
export function changedPath(): Error {
  return Object.assign(new Error('The path changed during the request.'), { code: 'ELOOP' });
}

/** The answer for a request that is right, and that the system does not carry out. */
function failed(message: string, path: string): RequestError {
  return new RequestError(rpcCodes.internalError, message, { path });
}

type Answer = (path: string) => RequestError;

const denied: Answer = (path) =>
  failed(`The system denies access to ${path}: the user has to change its permissions.`, path);

const answers: Readonly<Record<string, Answer>> = {
  ENOENT: fileNotFound,
  ENOTDIR: (path) => refused(`A part of ${path} is a file, not a directory.`, path),
  EISDIR: (path) => refused(`${path} is a directory. Name a file.`, path),
  ELOOP: (path) => refused(`${path} leads through a link that changed, or that leads to itself.`, path),
  ENAMETOOLONG: (path) => refused(`${path} has a name that is too long for the file system.`, path),
  EACCES: denied,
  EPERM: denied,
  EBUSY: (path) => failed(`Another program uses ${path}. Try again later.`, path),
  EROFS: (path) => failed(`${path} is on a file system that is read-only.`, path),
  ENOSPC: (path) => failed(`There is no space left to write ${path}.`, path),
};
