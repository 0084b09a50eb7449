import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { ConnectionStateError } from '../../../src/core/base/errors.ts';
import { workspaceBuffers } from '../../../src/ui/vscode/buffers.ts';
import { logOptions } from '../../../src/ui/vscode/log.ts';
import { assertCanRun, workspaceSession } from '../../../src/ui/vscode/workspace.ts';
import { dirtyDocument, foldersWith, logOf, modelOf, uriOf } from '../../support/vscode-model.ts';

const withFolders = (...uris: readonly string[]) =>
  modelOf({ workspace: { workspaceFolders: foldersWith(...uris) } });

describe('the folders of a session', () => {
  test('are all folders of the workspace, the first one as the working directory', () => {
    const vscode = withFolders('file:///work/app', 'file:///work/lib', 'file:///docs');
    expect(workspaceSession(vscode)).toEqual({
      cwd: '/work/app',
      additionalDirectories: ['/work/lib', '/docs'],
    });
  });

  test('are those on disk if there are others too, and otherwise the paths of the others', () => {
    const mixed = withFolders('vscode-vfs://github/me/repo', 'file:///work/app');
    expect(workspaceSession(mixed)).toEqual({ cwd: '/work/app', additionalDirectories: [] });
    const virtual = withFolders('vscode-vfs://github/me/repo');
    expect(workspaceSession(virtual)).toEqual({ cwd: '/me/repo', additionalDirectories: [] });
  });

  test('without an open folder are the home directory, or an error that says to open one', () => {
    const vscode = modelOf({ workspace: { workspaceFolders: undefined } });
    expect(workspaceSession(vscode, { homeDirectory: '/home/me' }).cwd).toBe('/home/me');
    expect(() => workspaceSession(vscode)).toThrow(ConnectionStateError);
    expect(() => workspaceSession(vscode)).toThrow(/No folder is open.+Open a folder/);
    expect(() => workspaceSession(vscode)).toThrow(expect.objectContaining({ remedy: 'openFolder' }));
    const file = modelOf({ workspace: { workspaceFile: uriOf('file:///work/both.code-workspace') } });
    expect(() => workspaceSession(file)).toThrow(/both\.code-workspace has no folder.+Add a folder/);
  });
});

test.each([
  [
    'that is not trusted',
    { isTrusted: false, workspaceFolders: foldersWith('file:///a') },
    /You have not trusted this workspace.+Manage Workspace Trust/,
    'manageTrust',
  ],
  [
    'that is virtual',
    { workspaceFolders: foldersWith('vscode-vfs://github/a') },
    /Open a folder on disk/,
    'openFolder',
  ],
] as const)('no agent runs in a workspace %s', (_name, workspace, message, remedy) => {
  const assert = () => assertCanRun(modelOf({ workspace }));
  expect(assert).toThrow(ConnectionStateError);
  expect(assert).toThrow(message);
  expect(assert).toThrow(expect.objectContaining({ remedy }));
});

describe('the buffers of the workspace', () => {
  const documents = ['file:///work/app/a.txt', 'untitled:/work/app/b.txt', 'git:/work/app/c.txt?HEAD'].map(
    (uri) => dirtyDocument(uriOf(uri), `unsaved ${uri}`),
  );
  const vscode = modelOf({
    workspace: {
      workspaceFolders: foldersWith('file:///work/app', 'vscode-vfs://github/me/repo'),
      textDocuments: documents,
    },
  });

  test('are the documents of files, and not others with the same path', async () => {
    const { openBuffer, writeBuffer } = workspaceBuffers(vscode);
    expect(openBuffer('/work/app/a.txt')).toBe('unsaved file:///work/app/a.txt');
    for (const path of ['/work/app/b.txt', '/work/app/c.txt', '/work/app/none.txt']) {
      expect(openBuffer(path)).toBeUndefined();
      expect(await writeBuffer(path, 'new')).toBe(false);
    }
  });

  test('have the folders on disk as roots, and none in a workspace that is not trusted', () => {
    expect(workspaceBuffers(vscode).roots()).toEqual(['/work/app']);
    const untrusted = modelOf({ workspace: { ...vscode.workspace, isTrusted: false } });
    expect(() => workspaceBuffers(untrusted).roots()).toThrow(
      /not trusted this workspace.+Manage Workspace Trust/,
    );
  });
});

describe('the log of an agent', () => {
  const opened = () => {
    const lines: string[] = [];
    const log = logOf(lines);
    return { lines, log, ...logOptions(modelOf({}), log) };
  };

  test('has its messages at the level Trace only, without secrets', () => {
    const { lines, log, trace } = opened();
    const message = {
      method: 'session/new',
      params: { mcpServers: [{ env: [{ name: 'K', value: 'secret-token' }] }] },
    };
    const record = (msg: unknown) => trace.write({ dir: 'out', t: 0, msg });
    expect(trace.redact?.(message)).toBe(null);
    record(message);
    expect(lines).toEqual([]);
    log.logLevel = 1;
    record(trace.redact?.(message));
    expect(lines).toEqual([expect.stringMatching(/^trace out .+session\/new/)]);
    expect(lines[0]).not.toContain('secret-token');
  });

  test('has its diagnostics, each at its level', () => {
    const { lines, onDiagnostic } = opened();
    for (const severity of ['error', 'warning', 'info'] as const)
      onDiagnostic({ rule: 'tools.failed', severity, message: severity } as Diagnostic);
    expect(lines).toEqual(['error error', 'warn warning', 'info info']);
  });
});
