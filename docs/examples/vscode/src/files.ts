import type { ClientHandlers } from 'acp-client-sdk';
import { nodeFileSystem, nodeTerminals } from 'acp-client-sdk/node';
import * as vscode from 'vscode';

/** Files and terminals for agents of version 1: only in the folders of the workspace, and with unsaved changes. */
export function clientFiles(): ClientHandlers {
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const [cwd] = roots;
  if (cwd === undefined) return {};
  const openBuffer = (path: string) =>
    vscode.workspace.textDocuments.find(({ uri, isDirty }) => isDirty && uri.fsPath === path)?.getText();
  return { ...nodeFileSystem({ roots, openBuffer }), terminals: nodeTerminals({ cwd }) };
}
