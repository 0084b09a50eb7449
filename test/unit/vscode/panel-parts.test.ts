import { describe, expect, test } from 'vitest';
import type { VsCode, VsCodeTerminal, VsCodeUri } from '../../../src/ui/vscode/api.ts';
import { editorActions } from '../../../src/ui/vscode/editor-actions.ts';
import { sessionMemory } from '../../../src/ui/vscode/memory.ts';
import { rootBody, showPage, webviewChannel } from '../../../src/ui/vscode/webview.ts';
import {
  fileUri,
  foldersWith,
  ModelEvent,
  mementoOf,
  modelOf,
  uriOf,
  webviewOf,
} from '../../support/vscode-model.ts';

describe('the memory of a session', () => {
  test('keeps one session for each key', () => {
    const state = mementoOf();
    const [one, other] = [sessionMemory(state), sessionMemory(state, 'other')];
    expect(one.get()).toBeUndefined();
    void one.set({ sessionId: 's', cwd: '/work' });
    expect(one.get()).toEqual({ sessionId: 's', cwd: '/work' });
    expect(other.get()).toBeUndefined();
    void one.set(undefined);
    expect(one.get()).toBeUndefined();
  });

  test('keeps the agent of each workspace, and gives the one that was chosen last to the others', async () => {
    const everywhere = mementoOf();
    const [one, other] = [1, 2].map(() => sessionMemory(mementoOf(), 'key', everywhere));
    expect(one?.getAgent?.()).toBeUndefined();
    await one?.setAgent?.('first');
    expect(other?.getAgent?.()).toBe('first');
    await other?.setAgent?.('second');
    expect([one?.getAgent?.(), other?.getAgent?.()]).toEqual(['first', 'second']);
    await one?.setAgent?.(undefined);
    expect(one?.getAgent?.()).toBeUndefined();
    const only = sessionMemory(mementoOf());
    await only.setAgent?.('first');
    expect(only.getAgent?.()).toBe('first');
    expect(sessionMemory(mementoOf()).getAgent?.()).toBeUndefined();
  });
});

describe('a webview', () => {
  test('is a channel that keeps no listener', () => {
    const { webview, received, sent } = webviewOf();
    const { post, listen } = webviewChannel(webview);
    const heard: unknown[] = [];
    const stop = listen((message) => heard.push(message));
    received.fire({ a: 1 });
    stop();
    received.fire({ a: 2 });
    void post({ b: 1 });
    expect([heard, sent, received.listeners.size]).toEqual([[{ a: 1 }], [{ b: 1 }], 0]);
  });

  test('has a page whose policy allows its script and its style sheet only', () => {
    const shown = (styles: VsCodeUri | undefined) => {
      const { webview } = webviewOf((uri) => uriOf(`https://resource.example${uri.path}?a&b`));
      showPage(webview, modelOf({}), { ...page, styles });
      return webview.html;
    };
    const page = {
      title: '<Agent>',
      body: rootBody,
      script: fileUri('/ext/dist/webview.js'),
    };
    const styles = fileUri('/ext/dist/a.css');
    const html = shown(styles);
    const nonce = /script-src 'nonce-([0-9a-f-]{36})'/.exec(html)?.[1];
    expect(html).toContain(
      `<script nonce="${nonce}" src="https://resource.example/ext/dist/webview.js?a&amp;b">`,
    );
    expect(html).toContain("default-src 'none'");
    expect(html).toContain(`style-src 'nonce-${nonce}' https://csp.example;`);
    expect(html).not.toMatch(/unsafe|connect-src|<Agent>/);
    expect(shown(styles)).not.toContain(nonce ?? '');
    expect(shown(undefined)).not.toContain('stylesheet');
  });
});

describe('the actions of the editor', () => {
  /** Chooses these files in a workspace with several folders. */
  const attach = async (
    chosen: readonly string[] | undefined,
    size: number,
    folders: readonly string[],
    options?: Parameters<typeof editorActions>[1],
  ) => {
    const dialogs: unknown[] = [];
    const warnings: string[] = [];
    const vscode = modelOf({
      workspace: {
        workspaceFolders: foldersWith(...folders),
        fs: {
          stat: async () => ({ type: 1, size }),
          readFile: async () => image,
          writeFile: async () => {},
        },
      },
      window: {
        showOpenDialog: async (dialog) => {
          dialogs.push(dialog);
          return chosen?.map(uriOf);
        },
        showWarningMessage: async (message) => warnings.push(message),
      },
    });
    return { attached: await editorActions(vscode, options).chooseAttachments(), dialogs, warnings };
  };
  const image = Uint8Array.from({ length: 2 * 32_768 + 3 }, (_, at) => 255 - at);
  const data = Buffer.from(image).toString('base64');

  test('attach images and links of the workspace, and refuse other files with a warning', async () => {
    const names = ['/work/a.png', '/work/src/%C3%BC%20b.ts', '/work-private/secret.txt', '/etc/passwd'];
    const files = names.map((name) => `file://${name}`);
    const { attached, warnings } = await attach(files, 3, ['file:///work']);
    expect(attached).toEqual([
      { type: 'image', mimeType: 'image/png', data, uri: 'file:///work/a.png' },
      { type: 'resource_link', name: 'ü b.ts', uri: 'file:///work/src/%C3%BC%20b.ts', size: 3 },
    ]);
    expect(warnings).toEqual(['Not attached, because outside of the workspace: secret.txt, passwd']);
    const links = await attach(files, 3, ['file:///work'], { takesImages: () => false });
    expect(links.attached[0]).toMatchObject({ type: 'resource_link', name: 'a.png', mimeType: 'image/png' });
  });

  test('attach an image of at most 10 MiB as an image', async () => {
    const limit = 10 * 1024 * 1024;
    const { attached } = await attach(['file:///work/A.JPEG'], limit, ['file:///work']);
    expect(attached).toEqual([{ type: 'image', mimeType: 'image/jpeg', data, uri: 'file:///work/A.JPEG' }]);
    const large = await attach(['file:///work/a.png'], limit + 1, ['file:///work']);
    expect(large.attached).toMatchObject([{ type: 'resource_link', mimeType: 'image/png', size: limit + 1 }]);
  });

  test('attach files of each folder, and none with the path of one elsewhere', async () => {
    const folders = ['vscode-vfs://github/me', 'file:///work/'];
    const chosen = [
      'file:///work/a',
      'vscode-vfs://github/me/b',
      'vscode-vfs://other/me/c',
      'git://github/me/d',
    ];
    const { attached, warnings, dialogs } = await attach(chosen, 1, folders);
    expect(attached.map((block) => 'uri' in block && block.uri)).toEqual(chosen.slice(0, 2));
    expect(warnings).toEqual(['Not attached, because outside of the workspace: c, d']);
    const [first = ''] = folders;
    expect(dialogs).toMatchObject([{ canSelectMany: true, defaultUri: { path: uriOf(first).path } }]);
  });

  test('attach nothing when the user dismisses the dialog, or no folder is open', async () => {
    const dismissed = await attach(undefined, 1, ['file:///work']);
    expect([dismissed.attached, dismissed.warnings]).toEqual([[], []]);
    const none = await attach(['file:///a'], 1, []);
    expect([none.attached, none.warnings.length]).toEqual([[], 1]);
    expect(none.dialogs[0]).not.toHaveProperty('defaultUri');
  });

  test('show files, diffs, patches and pages, and keep the last texts until they are disposed of', async () => {
    const shown: unknown[] = [];
    const opened: unknown[] = [];
    let provide: ((uri: ReturnType<typeof uriOf>) => string | undefined) | undefined;
    const model = modelOf({
      workspace: {
        registerTextDocumentContentProvider: (_scheme, provider) => {
          provide = (uri) => provider.provideTextDocumentContent(uri);
          return { dispose: () => (provide = undefined) };
        },
      },
      window: { showTextDocument: async (...call) => shown.push(call) },
      commands: { executeCommand: async (...call) => shown.push(call) },
      env: { openExternal: async (uri) => opened.push(uri.toString()) > 0 },
    });
    const parsed: unknown[] = [];
    const parse: VsCode['Uri']['parse'] = (text, isStrict) => {
      parsed.push(isStrict);
      return uriOf(text);
    };
    const Range = class {
      readonly start: { readonly line: number };
      constructor(line: number) {
        this.start = { line };
      }
    };
    const actions = editorActions({ ...model, Uri: { ...model.Uri, parse }, Range });
    await actions.openLocation({ path: '/work/a.ts', line: 7 });
    await actions.openLocation({ path: '/work/a.ts', line: null });
    const path = { path: '/work/a.ts' };
    expect(shown.splice(0)).toEqual([
      [expect.objectContaining(path), { selection: { start: { line: 6 } } }],
      [expect.objectContaining(path), {}],
    ]);
    await actions.openLink('https://example.com/');
    expect([opened, parsed]).toEqual([['https://example.com/'], [true]]);

    const texts: Parameters<typeof actions.openDiff>[0] = {
      path: '/work/ä.ts',
      oldText: 'old',
      newText: 'new',
      patch: null,
    };
    await actions.openDiff(texts);
    await actions.openDiff({ ...texts, oldText: null, newText: null });
    const diffs = shown.splice(0) as [
      string,
      ReturnType<typeof uriOf>,
      ReturnType<typeof uriOf>,
      string,
      object,
    ][];
    expect(diffs.map(([command, , , title, options]) => [command, title, options])).toEqual(
      [1, 2].map(() => ['vscode.diff', 'ä.ts (proposed by the agent)', { preview: true }]),
    );
    const uris = diffs.flatMap(([, before, after]) => [before, after]);
    expect(uris.map((uri) => provide?.(uri))).toEqual(['old', 'new', '', '']);
    expect(new Set(uris.map(({ query }) => query)).size).toBe(4);
    expect(uris.map(({ scheme, path }) => `${scheme} ${path}`)).toEqual(
      uris.map(() => 'acp-client-sdk-diff /work/ä.ts'),
    );

    const patch = { ...texts, newText: null, patch: { format: 'git_patch', text: '--- a' } };
    await actions.openDiff(patch);
    const [[uri, options]] = shown.splice(0) as [[ReturnType<typeof uriOf>, object]];
    expect([provide?.(uri), uri.path, options]).toEqual(['--- a', '/work/ä.ts.patch', { preview: true }]);
    await actions.openDiff({ ...patch, newText: 'new' });
    expect(shown.splice(0)).toMatchObject([['vscode.diff', {}, {}, {}, {}]]);

    // Seven texts were added.
    for (let count = 7; count < 99; count += 2) await actions.openDiff(texts);
    await actions.openDiff(patch);
    expect(uris.map((one) => provide?.(one))).toEqual(['old', 'new', '', '']);
    await actions.openDiff(patch);
    expect(uris.map((one) => provide?.(one))).toEqual([undefined, 'new', '', '']);
    const kept = provide;
    actions.dispose();
    expect(provide).toBeUndefined();
    expect(kept?.(uri)).toBeUndefined();
  });

  test('run the commands of VS Code for folders and trust', async () => {
    const run: string[] = [];
    const commands = { executeCommand: async (name: string) => run.push(name) };
    const actions = editorActions(modelOf({ commands }));
    await actions.openFolder();
    await actions.manageTrust();
    const workspaceFile = uriOf('file:///work/both.code-workspace');
    await editorActions(modelOf({ workspace: { workspaceFile }, commands })).openFolder();
    const workspace = { workspaceFile, workspaceFolders: foldersWith('file:///work') };
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
    const applyEdit = async () => accepts;
    const commands = { executeCommand: async () => {} };
    const WorkspaceEdit = class {
      replace(...edit: readonly unknown[]) {
        edits.push(edit);
      }
    };
    const workspace = { applyEdit };
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
    [{ code: 0 }, true],
    [{ code: 1 }, false],
    [{ code: undefined }, false],
    [undefined, false],
  ])('a login whose terminal ends with %j succeeds: %s', async (exitStatus, succeeds) => {
    const closed = new ModelEvent<VsCodeTerminal>();
    const started: unknown[] = [];
    const terminal: VsCodeTerminal = { exitStatus, show: () => {}, dispose: () => {} };
    const vscode = modelOf({
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
    closed.fire({ ...terminal, exitStatus: { code: 1 } });
    expect(closed.listeners.size).toBe(1);
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
    const inFolder = editorActions(vscode, {
      terminalLogin: () => ({ command: 'agent', args: [], cwd: '/work', env: {} }),
    }).loginInTerminal?.(method);
    closed.fire(terminal);
    await Promise.allSettled([inFolder]);
    expect(started[1]).toMatchObject({ cwd: '/work' });
    expect(started[0]).not.toHaveProperty('cwd');
    expect(editorActions(vscode).loginInTerminal).toBeUndefined();
  });
});
