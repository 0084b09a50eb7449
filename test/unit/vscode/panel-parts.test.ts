import { describe, expect, test } from 'vitest';
import type { PanelState } from '../../../src/panel/state.ts';
import { emptyState } from '../../../src/panel/whole-state.ts';
import type { VsCode, VsCodeTerminal, VsCodeWebview } from '../../../src/vscode/api.ts';
import { editorActions } from '../../../src/vscode/editor-actions.ts';
import { sessionMemory } from '../../../src/vscode/memory.ts';
import { agentStatusItem } from '../../../src/vscode/status-item.ts';
import { webviewChannel, webviewHtml } from '../../../src/vscode/webview.ts';
import { fileUri, foldersWith, ModelEvent, mementoOf, modelOf, uriOf } from '../../support/vscode-model.ts';

describe('the memory of a session', () => {
  const memory = () => {
    const kept = new Map<string, unknown>();
    return { kept, state: mementoOf(kept) };
  };

  test('keeps one session for each key', () => {
    const { state } = memory();
    const [one, other] = [sessionMemory(state), sessionMemory(state, 'other')];
    expect(one.get()).toBeUndefined();
    void one.set({ sessionId: 's', cwd: '/work' });
    expect(one.get()).toEqual({ sessionId: 's', cwd: '/work' });
    expect(other.get()).toBeUndefined();
    void one.set(undefined);
    expect(one.get()).toBeUndefined();
  });

  test('keeps the agent of each workspace, and gives the one that was chosen last to the others', async () => {
    const { state: everywhere } = memory();
    const [one, other] = [1, 2].map(() => sessionMemory(memory().state, 'key', everywhere));
    expect(one?.getAgent?.()).toBeUndefined();
    await one?.setAgent?.('first');
    expect(other?.getAgent?.()).toBe('first');
    await other?.setAgent?.('second');
    expect([one?.getAgent?.(), other?.getAgent?.()]).toEqual(['first', 'second']);
    await one?.setAgent?.(undefined);
    expect(one?.getAgent?.()).toBeUndefined();
    expect(sessionMemory(memory().state).getAgent?.()).toBeUndefined();
  });

  test.each([null, 's', {}, { sessionId: 1, cwd: '/' }, { sessionId: 's' }])('ignores %j', (value) => {
    const { kept, state } = memory();
    kept.set('key', value);
    expect(sessionMemory(state, 'key').get()).toBeUndefined();
  });
});

describe('a webview', () => {
  const webview = (): VsCodeWebview & {
    readonly received: ModelEvent<unknown>;
    readonly sent: unknown[];
  } => {
    const received = new ModelEvent<unknown>();
    const sent: unknown[] = [];
    return {
      received,
      sent,
      options: {},
      html: '',
      cspSource: 'https://csp.example',
      onDidReceiveMessage: received.event,
      postMessage: async (message) => sent.push(message) > 0,
      asWebviewUri: (uri) => uriOf(`https://resource.example${uri.path}?a&b`),
    };
  };

  test('is a channel that keeps no listener', () => {
    const view = webview();
    const { post, listen } = webviewChannel(view);
    const heard: unknown[] = [];
    const stop = listen((message) => heard.push(message));
    view.received.fire({ a: 1 });
    stop();
    view.received.fire({ a: 2 });
    void post({ b: 1 });
    expect([heard, view.sent, view.received.listeners.size]).toEqual([[{ a: 1 }], [{ b: 1 }], 0]);
  });

  test('has a page whose policy allows its script and its style sheet only', () => {
    const files = {
      title: '<Agent>',
      script: fileUri('/ext/dist/webview.js'),
      styles: fileUri('/ext/dist/a.css'),
    };
    const html = webviewHtml(webview(), files);
    const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(html)?.[1];
    expect(html).toContain(
      `<script nonce="${nonce}" src="https://resource.example/ext/dist/webview.js?a&amp;b">`,
    );
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('style-src https://csp.example;');
    expect(html).not.toMatch(/unsafe|connect-src|<Agent>/);
    expect(webviewHtml(webview(), files)).not.toContain(nonce ?? '');
    expect(webviewHtml(webview(), { ...files, styles: undefined })).not.toContain('stylesheet');
  });
});

test('the status item shows what the agent does, and keeps no listener', () => {
  const item: ReturnType<VsCode['window']['createStatusBarItem']> = {
    name: undefined,
    text: '',
    tooltip: undefined,
    command: undefined,
    backgroundColor: undefined,
    show: () => {},
    dispose: () => {},
  };
  const listeners = new Set<() => void>();
  let state: PanelState = { ...emptyState, phase: 'starting' };
  const panel = {
    get state() {
      return state;
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const vscode = {
    ...modelOf({ window: { createStatusBarItem: () => item } }),
    StatusBarAlignment: { Left: 1 },
    ThemeColor: class {
      readonly id: string;
      constructor(id: string) {
        this.id = id;
      }
    },
  };
  const change = (part: Partial<PanelState>) => {
    state = { ...state, ...part };
    for (const listener of listeners) listener();
    return item.text;
  };
  const shown = agentStatusItem(vscode, panel, { command: 'view.focus' });
  expect([item.text, item.command]).toEqual(['$(loading~spin) Agent', 'view.focus']);
  const agent = { name: 'demo', title: 'Demo $(x)', version: null };
  expect(change({ phase: 'open', agent })).toBe('$(pass) Demo $ (x)');
  expect(change({ waiting: [{ sessionId: 's', count: 2 }] })).toBe('$(bell-dot) Demo $ (x)');
  expect(item.tooltip).toBe('Demo $ (x) waits for 2 answers.');
  const problem = { message: 'It crashed.', detail: null, code: 'agent.exit', remedy: null };
  expect(change({ phase: 'closed', problem })).toBe('$(error) Demo $ (x)');
  expect(item.tooltip).toBe('Demo $ (x) does not run. It crashed.');
  expect(item.backgroundColor).toMatchObject({ id: 'statusBarItem.errorBackground' });
  const choice: PanelState['agents'][number] = {
    id: 'demo',
    name: 'Demo',
    description: null,
    isInstalled: true,
    installedVersion: null,
    testedVersion: null,
    installCommand: null,
    note: null,
    login: 'unknown',
    isChosen: false,
  };
  const choosing = { agent: null, problem: null, waiting: [], agents: [choice] };
  expect(change(choosing)).toBe('$(circle-large-outline) Agent');
  expect([item.tooltip, item.backgroundColor]).toEqual(['Agent is not chosen yet.', undefined]);
  expect(change({ agents: [{ ...choice, isChosen: true }] })).toBe('$(error) Agent');
  shown.dispose();
  expect(listeners.size).toBe(0);
});

describe('the actions of the editor', () => {
  test('attach images and links of the workspace, and refuse other files with a warning', async () => {
    const files = ['/work/a.png', '/work/src/ü b.ts', '/work-private/secret.txt', '/etc/passwd'];
    const warnings: string[] = [];
    const vscode = modelOf({
      workspace: {
        workspaceFolders: foldersWith('file:///work'),
        registerTextDocumentContentProvider: () => ({ dispose: () => {} }),
        fs: {
          stat: async () => ({ type: 1, size: 3 }),
          readFile: async () => new Uint8Array([255, 0, 1]),
          writeFile: async () => {},
        },
      },
      window: {
        showOpenDialog: async () => files.map(fileUri),
        showWarningMessage: async (message) => warnings.push(message),
      },
    });
    expect(await editorActions(vscode).chooseAttachments()).toEqual([
      { type: 'image', mimeType: 'image/png', data: '/wAB', uri: 'file:///work/a.png' },
      { type: 'resource_link', name: 'ü b.ts', uri: 'file:///work/src/%C3%BC%20b.ts', size: 3 },
    ]);
    expect(warnings).toEqual(['Not attached, because outside of the workspace: secret.txt, passwd']);
    const links = await editorActions(vscode, { takesImages: () => false }).chooseAttachments();
    expect(links[0]).toMatchObject({ type: 'resource_link', name: 'a.png', mimeType: 'image/png' });
  });

  test('run the commands of VS Code for folders and trust', async () => {
    const run: string[] = [];
    const parts = { registerTextDocumentContentProvider: () => ({ dispose: () => {} }) };
    const commands = { executeCommand: async (name: string) => run.push(name) };
    const actions = editorActions(modelOf({ workspace: parts, commands }));
    await actions.openFolder();
    await actions.manageTrust();
    const workspaceFile = uriOf('file:///work/both.code-workspace');
    await editorActions(modelOf({ workspace: { ...parts, workspaceFile }, commands })).openFolder();
    const workspace = { ...parts, workspaceFile, workspaceFolders: foldersWith('file:///work') };
    await editorActions(modelOf({ workspace, commands })).openFolder();
    expect(run).toEqual([
      'vscode.openFolder',
      'workbench.trust.manage',
      'workbench.action.addRootFolder',
      'vscode.openFolder',
    ]);
  });

  test('insert a text at the cursor, and say why they cannot', async () => {
    const edits: unknown[] = [];
    let accepts = true;
    const registerTextDocumentContentProvider = () => ({ dispose: () => {} });
    const applyEdit = async () => accepts;
    const commands = { executeCommand: async () => {} };
    const WorkspaceEdit = class {
      replace(...edit: readonly unknown[]) {
        edits.push(edit);
      }
    };
    const workspace = { registerTextDocumentContentProvider, applyEdit };
    const uri = fileUri('/work/a.ts');
    const selection = {};
    const activeTextEditor = { document: { uri }, selection };
    const vscode = { ...modelOf({ workspace, window: { activeTextEditor }, commands }), WorkspaceEdit };
    await editorActions(vscode).insertText('const a = 1;');
    expect(edits).toEqual([[uri, selection, 'const a = 1;']]);
    accepts = false;
    await expect(editorActions(vscode).insertText('x')).rejects.toThrow(/did not insert the text into a\.ts/);
    const none = { ...modelOf({ workspace, commands }), WorkspaceEdit };
    await expect(editorActions(none).insertText('x')).rejects.toThrow(/No text editor is open/);
  });

  test.each([
    [0, true],
    [1, false],
    [undefined, false],
  ])('a login whose terminal ends with %s succeeds: %s', async (code, succeeds) => {
    const closed = new ModelEvent<VsCodeTerminal>();
    const started: unknown[] = [];
    const terminal: VsCodeTerminal = { exitStatus: { code }, show: () => {}, dispose: () => {} };
    const vscode = modelOf({
      workspace: { registerTextDocumentContentProvider: () => ({ dispose: () => {} }) },
      window: {
        createTerminal: (options: unknown) => {
          started.push(options);
          return terminal;
        },
        onDidCloseTerminal: closed.event,
      },
    });
    const method = { methodId: 'm', name: 'Browser', description: null, type: 'terminal' };
    const { loginInTerminal } = editorActions(vscode, {
      terminalLogin: () => ({ command: 'agent', args: ['login'], cwd: undefined, env: { A: '1' } }),
    });
    const login = loginInTerminal?.(method);
    closed.fire({ ...terminal });
    closed.fire(terminal);
    const outcome = await login?.then(
      () => true,
      () => false,
    );
    expect(outcome).toBe(succeeds);
    expect(started).toEqual([
      { name: 'Login: Browser', shellPath: 'agent', shellArgs: ['login'], env: { A: '1' }, strictEnv: true },
    ]);
    expect(closed.listeners.size).toBe(0);
    expect(editorActions(vscode).loginInTerminal).toBeUndefined();
  });
});
