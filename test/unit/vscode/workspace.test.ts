import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { ConnectionStateError } from '../../../src/core/base/errors.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import { agentProcess } from '../../../src/ui/vscode/agent-process.ts';
import type { VsCode } from '../../../src/ui/vscode/api.ts';
import { workspaceBuffers } from '../../../src/ui/vscode/buffers.ts';
import { toAbortSignal } from '../../../src/ui/vscode/cancellation.ts';
import { workspaceSession } from '../../../src/ui/vscode/workspace.ts';
import { dirtyDocument, foldersWith, logOf, ModelEvent, modelOf, uriOf } from '../../support/vscode-model.ts';

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

describe('an agent', () => {
  interface Command {
    readonly command: string;
    readonly cwd?: string | undefined;
    readonly onStderr?: ((text: string) => void) | undefined;
  }
  /** A window with an empty log. */
  function windowIn(workspace: Parameters<typeof modelOf>[0]['workspace']) {
    const logged: string[] = [];
    const channels: unknown[] = [];
    const log = { ...logOf(logged), dispose: () => void channels.pop() };
    const createOutputChannel: VsCode['window']['createOutputChannel'] = (...channel) => {
      channels.push(channel);
      return log;
    };
    const started: Command[] = [];
    const spawn = (command: Command) => {
      started.push(command);
      return memoryTransport().transport;
    };
    return {
      vscode: modelOf({ workspace: workspace ?? {}, window: { createOutputChannel } }),
      log,
      logged,
      channels,
      started,
      spawn,
    };
  }

  test('starts in the first folder, and its stderr goes to the log', () => {
    const folders = foldersWith('file:///work/app', 'file:///work/lib');
    const { vscode, spawn, started, logged, channels } = windowIn({ workspaceFolders: folders });
    const heard: string[] = [];
    const onStderr = (text: string) => heard.push(text);
    let count = 0;
    const agent = agentProcess(vscode, spawn, () => ({
      command: 'some-agent',
      ...(count++ > 0 && { onStderr }),
    }));
    expect(channels).toEqual([['Agent', { log: true }]]);
    agent.start();
    agent.start();
    expect(started).toMatchObject([1, 2].map(() => ({ command: 'some-agent', cwd: '/work/app' })));
    for (const { onStderr: write } of started) write?.('  warming up\n');
    expect(logged).toEqual(['info   warming up', 'info   warming up']);
    expect(heard).toEqual(['  warming up\n']);
    agent.dispose();
    expect(channels).toEqual([]);
  });

  test('starts in the home directory where no folder is open', () => {
    const { vscode, spawn, started, channels } = windowIn({});
    const options = { logName: 'Mine', homeDirectory: '/home/me' };
    agentProcess(vscode, spawn, { command: 'some-agent' }, options).start();
    expect(started).toMatchObject([{ cwd: '/home/me' }]);
    expect(channels).toEqual([['Mine', { log: true }]]);
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
    ['without a folder', { workspaceFolders: [] }, /No folder is open/, 'openFolder'],
  ] as const)('does not start in a workspace %s', (_name, workspace, message, remedy) => {
    const { vscode, spawn, started } = windowIn(workspace);
    const agent = agentProcess(vscode, spawn, { command: 'some-agent' });
    expect(agent.start).toThrow(ConnectionStateError);
    expect(agent.start).toThrow(message);
    expect(agent.start).toThrow(expect.objectContaining({ remedy }));
    expect(started).toEqual([]);
  });

  test('starts with the command of a start, and says when there is none', () => {
    const { vscode, spawn, started } = windowIn({ workspaceFolders: foldersWith('file:///a') });
    const agent = agentProcess(vscode, spawn);
    agent.start({ command: 'chosen', cwd: '/b' });
    expect(started).toMatchObject([{ command: 'chosen', cwd: '/b' }]);
    expect(() => agent.start()).toThrow(/there is no command/);
  });

  test('writes its messages to the log at the level Trace only, without secrets', () => {
    const { vscode, spawn, log, logged } = windowIn({});
    const { connectOptions } = agentProcess(vscode, spawn, { command: 'some-agent' });
    const message = {
      method: 'session/new',
      params: { mcpServers: [{ env: [{ name: 'K', value: 'secret-token' }] }] },
    };
    const record = (msg: unknown) => connectOptions.trace.write({ dir: 'out', t: 0, msg });
    expect(connectOptions.trace.redact?.(message)).toBe(null);
    record(message);
    expect(logged).toEqual([]);
    log.logLevel = 1;
    record(connectOptions.trace.redact?.(message));
    expect(logged).toEqual([expect.stringMatching(/^trace out .+session\/new/)]);
    expect(logged[0]).not.toContain('secret-token');
  });

  test('writes its diagnostics to the log, each at its level', () => {
    const { vscode, spawn, logged } = windowIn({});
    const { connectOptions } = agentProcess(vscode, spawn, { command: 'some-agent' });
    for (const severity of ['error', 'warning', 'info'] as const)
      connectOptions.onDiagnostic({ rule: 'tools.failed', severity, message: severity } as Diagnostic);
    expect(logged).toEqual(['error error', 'warn warning', 'info info']);
  });
});

test('a token that is cancelled aborts its signal, and keeps no listener', () => {
  const cancelled = new ModelEvent<void>();
  const signal = toAbortSignal({ isCancellationRequested: false, onCancellationRequested: cancelled.event });
  expect(signal.aborted).toBe(false);
  cancelled.fire();
  expect(signal.aborted).toBe(true);
  expect(cancelled.listeners.size).toBe(0);
  const late = toAbortSignal({ isCancellationRequested: true, onCancellationRequested: cancelled.event });
  expect(late.aborted).toBe(true);
});
