import { codeOf } from '../../core/base/diagnostic.ts';
import { inOrder } from '../../core/base/in-order.ts';
import {
  assertNotWithdrawn,
  assertWellFormed,
  notFound,
  outside,
  refused,
  textOf,
} from '../../core/client/requests/file-answers.ts';
import type { ClientHandlers } from '../../core/client/requests/handlers.ts';
import { isAbsolutePath } from '../../core/protocol/vocabulary.ts';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { VsCode, VsCodeUri } from './api.ts';
import { documentWriter, openDocument, shownText } from './documents.ts';
import { assertTrusted, foldersOf, pathOf } from './workspace.ts';

/** The two file handlers. Spread them into `handlers`. */
export interface WorkspaceFiles {
  readonly readTextFile: NonNullable<ClientHandlers['readTextFile']>;
  readonly writeTextFile: NonNullable<ClientHandlers['writeTextFile']>;
}

/**
 * Handlers that read and write the files of the workspace through VS Code, for a web extension and for virtual
 * workspaces: documents that are open, and `workspace.fs` for the others. In an extension host with Node,
 * `nodeFileSystem(workspaceBuffers(vscode))` is better: it also follows links that stay inside the directories, and
 * enforces its limits while another program changes the directories.
 *
 * Requests for one file are served in the order in which they arrive: a read after a write returns the new text.
 *
 * The path of a request is the path of a URI below one of the directories. Links are refused, because VS Code does not
 * say where they lead. Text is UTF-8, except in open documents. Files of more than 32 MiB are refused.
 *
 * Errors are of type `RequestError`: -32002 for a missing file, -32602 for a path that is relative, outside the
 * directories or a link, -32603 if VS Code refuses, and in a workspace that the user has not trusted.
 *
 * @param vscode - The module `vscode`.
 *
 * @example
 * ```ts
 * const connection = await connect(remoteTransport(url), { clientInfo, handlers: workspaceFiles(vscode) });
 * ```
 * @see https://agentclientprotocol.com/protocol/file-system
 */
export function workspaceFiles(
  vscode: VsCode,
  options: {
    /** The directories that the agent may read and write. Called for each request. Default: those of the workspace. */
    readonly roots?: (() => readonly VsCodeUri[]) | undefined;
  } = {},
): WorkspaceFiles {
  const { roots = () => foldersOf(vscode) } = options;
  const write = documentWriter(vscode);
  const files = inOrder();

  const find = async (path: string): Promise<FoundFile> => {
    assertTrusted(vscode);
    return findFile(vscode, path, roots());
  };

  return {
    async readTextFile({ path, line, limit }, { signal }) {
      return files.together(rowOf(path), async () => {
        const { uri, size } = await find(path);
        assertNotWithdrawn(signal);
        const shown = shownText(openDocument(vscode, uri));
        if (shown !== undefined) return { content: linesOf(shown, line, limit) };
        if (size === undefined) throw notFound(path, uri.toString());
        if (size > maxReadBytes)
          throw refused(`${path} is larger than ${maxReadBytes} bytes, which is the limit.`, path);
        const bytes = await answered(path, vscode.workspace.fs.readFile(uri));
        return { content: linesOf(textOf(bytes, path), line, limit) };
      });
    },

    async writeTextFile({ path, content }, { signal }) {
      return files.alone(rowOf(path), async () => {
        const { uri } = await find(path);
        assertWellFormed('The content', content, path);
        assertNotWithdrawn(signal);
        const document = openDocument(vscode, uri);
        if (document && (await write(document, content))) return;
        await answered(path, vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content)));
      });
    },
  };
}

const maxReadBytes = 32 * 1024 * 1024;

interface FoundFile {
  readonly uri: VsCodeUri;
  /** In bytes. `undefined`: there is no file. */
  readonly size: number | undefined;
}

/** The URI of a path inside the directories, after looking at each part of it. */
async function findFile(vscode: VsCode, path: string, folders: readonly VsCodeUri[]): Promise<FoundFile> {
  const names = partsOf(path);
  const folder = folders
    .filter((candidate) => isBelow(partsOf(pathOf(candidate)), names))
    .sort((one, other) => other.path.length - one.path.length)[0];
  if (!folder) throw outside(path, folders.map(pathOf));
  const below = names.slice(partsOf(pathOf(folder)).length);
  let uri = folder;
  for (const [index, name] of below.entries()) {
    uri = vscode.Uri.joinPath(uri, name);
    const found = await statOf(vscode, uri);
    if (!found) return { uri: vscode.Uri.joinPath(folder, ...below), size: undefined };
    if (found.type & fileTypes.link)
      throw refused(`${path} leads through a link. Use a path without links.`, path);
    if (index === below.length - 1) {
      if (!(found.type & fileTypes.file)) throw refused(`${path} is not a file.`, path);
      return { uri, size: found.size };
    }
  }
  throw refused(`${path} names a directory. Name a file.`, path);
}

const fileTypes = { file: 1, link: 64 } as const;

/** The row of a file: the same for each spelling of its path. Links are refused. */
function rowOf(path: string): string {
  return partsOf(path).join('/').normalize().toLowerCase();
}

/** The names of an absolute path. */
function partsOf(path: string): readonly string[] {
  if (!isAbsolutePath(path)) throw refused(`"${path}" is a relative path. Pass an absolute one.`, path);
  const names = path
    .split(path.startsWith('/') ? '/' : /[\\/]/)
    .filter((name) => name !== '' && name !== '.');
  if (path.includes('\0') || names.includes('..')) {
    throw refused(`"${path}" contains ".." or a NUL character. Pass a path without them.`, path);
  }
  // The letter of a drive has no case.
  return names.map((name, index) => (index === 0 && /^[a-z]:$/i.test(name) ? name.toLowerCase() : name));
}

function isBelow(folder: readonly string[], names: readonly string[]): boolean {
  return folder.every((name, index) => name === names[index]);
}

/** `undefined` if there is nothing. */
async function statOf(vscode: VsCode, uri: VsCodeUri) {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (codeOf(error) === 'FileNotFound') return undefined;
    throw failure(pathOf(uri), error);
  }
}

async function answered<T>(path: string, call: PromiseLike<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw failure(path, error);
  }
}

function failure(path: string, error: unknown): RequestError {
  const code = codeOf(error) ?? 'an unknown error';
  return new RequestError(rpcCodes.internalError, `VS Code refused to use ${path}: ${code}.`, { path });
}

/** The lines from `line`, which counts from 1, with their ends. */
function linesOf(text: string, line = 1, limit = Number.POSITIVE_INFINITY): string {
  if (line <= 1 && limit === Number.POSITIVE_INFINITY) return text;
  const lines = text.match(/[^\n]*\n|[^\n]+/g) ?? [];
  const first = Math.max(line, 1) - 1;
  return lines.slice(first, first + limit).join('');
}
