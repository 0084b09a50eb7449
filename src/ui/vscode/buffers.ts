import type { VsCode } from './api.ts';
import { documentWriter, openDocument, shownText } from './documents.ts';
import { assertTrusted, foldersOf, isOnDisk } from './workspace.ts';

/** Options of `nodeFileSystem`: the directories of the workspace, and the texts of its editors. */
export interface WorkspaceBuffers {
  /** Throws a `RequestError` in a workspace that the user has not trusted. */
  readonly roots: () => readonly string[];
  readonly openBuffer: (path: string) => string | undefined;
  readonly writeBuffer: (path: string, content: string) => Promise<boolean>;
}

/**
 * The options with which `nodeFileSystem` reads and writes the files that are open in VS Code through their documents.
 * A read gives the unsaved text. A write replaces what differs and saves the document: the user can undo it, and line
 * ends and encoding stay. The roots are the directories of the workspace that are on disk, looked up for each request.
 *
 * Only `file:` documents count: an untitled document, or one of a Git revision, can have the same path.
 *
 * @param vscode - The module `vscode`.
 *
 * @example
 * ```ts
 * const handlers = { ...nodeFileSystem(workspaceBuffers(vscode)), terminals: nodeTerminals() };
 * ```
 * @see https://agentclientprotocol.com/protocol/file-system
 */
export function workspaceBuffers(vscode: VsCode): WorkspaceBuffers {
  const write = documentWriter(vscode);
  const documentOf = (path: string) => openDocument(vscode, vscode.Uri.file(path));
  return {
    roots() {
      assertTrusted(vscode);
      return foldersOf(vscode)
        .filter(isOnDisk)
        .map(({ fsPath }) => fsPath);
    },
    openBuffer: (path) => shownText(documentOf(path)),
    async writeBuffer(path, content) {
      const document = documentOf(path);
      return document ? write(document, content) : false;
    },
  };
}
