import { describe, expect, onTestFinished, test } from 'vitest';
import type { PanelAgent } from '../../../src/ui/panel/agent-choice.ts';
import { connectPanel } from '../../../src/ui/panel/connect.ts';
import type { PanelState } from '../../../src/ui/panel/state.ts';
import { type AgentViewOptions, agentView, type SpawnSettings } from '../../../src/ui/vscode/agent-view.ts';
import type { VsCode, VsCodeTerminal, VsCodeWebview } from '../../../src/ui/vscode/api.ts';
import { eventually } from '../../support/eventually.ts';
import { channelPair, hostOptions, type PanelSetup, until } from '../../support/panel-pair.ts';
import {
  fileUri,
  foldersWith,
  logOf,
  ModelEvent,
  mementoOf,
  modelOf,
  webviewOf,
} from '../../support/vscode-model.ts';

/** The view of an extension whose agent follows a script, in a window whose workspace can change. */
function viewIn(
  workspace: { isTrusted?: boolean; workspaceFolders?: VsCode['workspace']['workspaceFolders'] },
  {
    options = {},
    kept = new Map<string, unknown>(),
    setup = {},
    answer,
    manifest = manifestWithView,
    stat = async () => ({ type: 1, size: 1 }),
  }: {
    options?: Partial<AgentViewOptions>;
    kept?: Map<string, unknown>;
    setup?: PanelSetup;
    /** What the user chooses where the view asks. */
    answer?: string;
    /** The package.json of the extension. */
    manifest?: unknown;
    stat?: VsCode['workspace']['fs']['stat'];
  } = {},
) {
  const changed = new ModelEvent<unknown>();
  const trusted = new ModelEvent<void>();
  const commands: string[] = [];
  const asked: string[][] = [];
  const texts = new Set<object>();
  /** The programs of logins. Each succeeds at once. */
  const logins: string[] = [];
  const logs: string[] = [];
  const lines: string[] = [];
  const ids: string[] = [];
  const closed = new ModelEvent<VsCodeTerminal>();
  let provider: Parameters<VsCode['window']['registerWebviewViewProvider']>[1] | undefined;
  let isOpen = true;
  const vscode = modelOf({
    workspace: {
      onDidChangeWorkspaceFolders: changed.event,
      onDidGrantWorkspaceTrust: trusted.event,
      registerTextDocumentContentProvider: (_scheme, texter) => {
        texts.add(texter);
        return { dispose: () => texts.delete(texter) };
      },
      fs: {
        stat,
        readFile: async () => new Uint8Array(1),
        writeFile: async () => {},
      },
    },
    window: {
      createOutputChannel: (name) => {
        logs.push(name);
        return logOf(lines);
      },
      registerWebviewViewProvider: (viewId, given) => {
        ids.push(viewId);
        provider = given;
        return {
          dispose: () => {
            isOpen = false;
          },
        };
      },
      showQuickPick: async (items, { title = '' }) => {
        asked.push([title, ...items]);
        return items.find((item) => item === answer);
      },
      createTerminal: ({ shellPath = '' }: { name: string; shellPath?: string }) => {
        logins.push(shellPath);
        const terminal: VsCodeTerminal = { exitStatus: { code: 0 }, show: () => {}, dispose: () => {} };
        queueMicrotask(() => closed.fire(terminal));
        return terminal;
      },
      onDidCloseTerminal: closed.event,
      showOpenDialog: async () => [fileUri('/work/a.png')],
    },
    commands: { executeCommand: async (command) => commands.push(command) },
  });
  // As in VS Code, the values change.
  Object.defineProperties(vscode.workspace, {
    isTrusted: { get: () => workspace.isTrusted ?? true },
    workspaceFolders: { get: () => workspace.workspaceFolders },
  });
  const { start, agents, options: panelOptions } = hostOptions(setup);
  const subscriptions: { dispose(): unknown }[] = [];
  const context = {
    extensionUri: fileUri('/ext'),
    workspaceState: mementoOf(kept),
    subscriptions,
    extension: { packageJSON: manifest },
  };
  const view = agentView({
    vscode,
    context,
    ...(options.agents === undefined && { agent: start }),
    connect: panelOptions.connect,
    ...options,
  });
  onTestFinished(() => view.close());
  const { panel } = view;
  const store = { getSnapshot: () => panel.state, subscribe: panel.subscribe.bind(panel) };
  const shows = (isThere: (state: PanelState) => boolean) => until(store, isThere);
  /** A page of the view. */
  const page = () => {
    const { host, page } = channelPair();
    panel.attach(host);
    const connected = connectPanel(page);
    onTestFinished(() => connected.close());
    return connected;
  };
  const resolve = (webview: VsCodeWebview) => {
    const disposed = new ModelEvent<void>();
    const shown: Parameters<NonNullable<typeof provider>['resolveWebviewView']>[0] = {
      webview,
      onDidDispose: disposed.event,
    };
    provider?.resolveWebviewView(shown);
    return { disposed, shown };
  };
  return {
    view,
    panel,
    agents,
    start,
    changed,
    trusted,
    kept,
    shows,
    page,
    resolve,
    commands,
    asked,
    texts,
    logins,
    logs,
    lines,
    ids,
    subscriptions,
    isOpen: () => isOpen,
  };
}

const manifestWithView = {
  name: 'my-panel',
  displayName: 'My Panel',
  version: '1.2.3',
  main: './out/extension.js',
  contributes: { views: { explorer: [{ id: 'a.tree' }], side: [{ id: 'test.view', type: 'webview' }] } },
};

/** A workspace with one folder. */
const atWork = { workspaceFolders: foldersWith('file:///work') };

describe('the view of an agent', () => {
  test('starts nothing in a workspace that is not trusted, and starts when the user trusts it', async () => {
    const workspace = { isTrusted: false, workspaceFolders: foldersWith('file:///work') };
    const { shows, agents, trusted, panel } = viewIn(workspace);
    const { problem } = await shows((state) => state.problem !== null);
    expect(problem).toMatchObject({ remedy: 'manageTrust' });
    expect(problem?.message).toContain('You have not trusted this workspace');
    expect(agents).toEqual([]);
    workspace.isTrusted = true;
    trusted.fire();
    await shows(({ phase }) => phase === 'open');
    expect(panel.state.problem).toBe(null);
  });

  test('waits for the folders of a workspace, and does not start again when others follow', async () => {
    const workspace: { workspaceFolders?: VsCode['workspace']['workspaceFolders'] } = {};
    const { shows, agents, changed, panel, page } = viewIn(workspace, {
      options: { homeDirectory: '/home/me' },
    });
    const { problem } = await shows((state) => state.problem !== null);
    expect(problem).toMatchObject({ remedy: 'openFolder' });
    expect(agents).toEqual([]);
    workspace.workspaceFolders = foldersWith('file:///work/first');
    changed.fire(undefined);
    await shows(({ phase }) => phase === 'open');
    workspace.workspaceFolders = foldersWith('file:///work/first', 'file:///work/second');
    const phases = new Set<string>();
    panel.subscribe(() => phases.add(panel.state.phase));
    changed.fire(undefined);
    // It would wait for the end of a start.
    await page().newSession();
    expect([[...phases], agents.length]).toEqual([['open'], 1]);
  });

  test('works in the home directory only if the user has chosen it', async () => {
    const options = { homeDirectory: '/home/me' };
    const { shows, kept, panel } = viewIn({}, { options });
    await shows(({ problem }) => problem?.remedy === 'openFolder');
    kept.set('test.view.homeDirectory', '/home/another');
    await panel.restart();
    expect(viewIn({}, { options, kept }).agents).toEqual([]);
    kept.set('test.view.homeDirectory', '/home/me');
    const next = viewIn({}, { options, kept });
    await next.shows(({ phase }) => phase === 'open');
  });

  test('starts its agent in the first folder, and writes what it says on stderr to the log', async () => {
    const given: SpawnSettings[] = [];
    const agent: AgentViewOptions['agent'] = (start) => {
      given.push(start);
      return made.start();
    };
    const workspace = { workspaceFolders: foldersWith('file:///work/app', 'file:///work/lib') };
    const made = viewIn(workspace, { options: { agent } });
    await made.shows(({ phase }) => phase === 'open');
    given[0]?.onStderr?.('  warming up\n');
    expect([given[0]?.cwd, made.lines]).toEqual(['/work/app', ['info   warming up']]);
  });

  test('does not ask for a folder where the extension names the directory itself', async () => {
    const { shows } = viewIn({}, { options: { workspace: () => ({ cwd: '/srv/project' }) } });
    await shows(({ phase }) => phase === 'open');
  });

  test('offers a list of agents, keeps the chosen one, and lists none in a workspace that is not trusted', async () => {
    const workspace = { isTrusted: false, workspaceFolders: foldersWith('file:///work') };
    let listed = 0;
    const agents: PanelAgent[] = ['one', 'two'].map((id) => ({ id, name: id, start: () => made.start() }));
    const options = {
      agents: () => {
        listed++;
        return agents;
      },
    };
    const made = viewIn(workspace, { options });
    await made.shows((state) => state.problem?.remedy === 'manageTrust');
    expect([listed, made.panel.state.agents]).toEqual([0, []]);
    workspace.isTrusted = true;
    made.trusted.fire();
    await made.shows((state) => state.agents.length === 2 && state.phase === 'closed');
    await made.panel.chooseAgent('two');
    await made.shows(({ phase }) => phase === 'open');
    expect(made.kept.get('test.view.session.agent')).toBe('two');
  });

  test('leaves no listener when it is closed', async () => {
    const { view, changed, trusted, isOpen, texts } = viewIn(atWork);
    expect([changed.listeners.size, trusted.listeners.size, texts.size]).toEqual([1, 1, 1]);
    await view.close();
    expect([changed.listeners.size, trusted.listeners.size, isOpen(), texts.size]).toEqual([0, 0, false, 0]);
    const disposed = viewIn(atWork);
    disposed.view.dispose();
    expect([disposed.isOpen(), disposed.changed.listeners.size]).toEqual([false, 0]);
  });

  test('is a page with its script and its styles, whose folders are all that it can load', async () => {
    const page = { script: 'dist/page.js', styles: 'styles/page.css', title: 'Mine' };
    const { resolve } = viewIn(atWork, { options: { page } });
    const { webview, received } = webviewOf();
    const { disposed } = resolve(webview);
    expect(webview.options).toMatchObject({
      enableScripts: true,
      localResourceRoots: [{ path: '/ext/dist/' }, { path: '/ext/styles/' }],
    });
    for (const part of [
      'src="file:///ext/dist/page.js"',
      'href="file:///ext/styles/page.css"',
      '<title>Mine<',
    ])
      expect(webview.html).toContain(part);
    expect(received.listeners.size).toBe(1);
    disposed.fire();
    expect(received.listeners.size).toBe(0);
  });

  test('is the element of the panel, with what the manifest says, where the extension brings no page', async () => {
    const made = viewIn(atWork, { setup: {}, options: { connect: undefined } });
    const { webview } = webviewOf();
    const { shown } = made.resolve(webview);
    expect(webview.options.localResourceRoots).toMatchObject([{ path: '/ext/out/' }]);
    for (const part of [
      '<acp-panel></acp-panel>',
      'src="file:///ext/out/panel-element.js"',
      '<title>My Panel<',
    ])
      expect(webview.html).toContain(part);
    expect(webview.html).not.toContain('stylesheet');
    await made.shows(({ phase }) => phase === 'open');
    expect([made.ids, made.logs]).toEqual([['test.view'], ['My Panel']]);
    expect(made.agents[0]?.calls('initialize')[0]?.params).toMatchObject({
      clientInfo: { name: 'my-panel', title: 'My Panel', version: '1.2.3' },
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    });
    expect(made.subscriptions).toEqual([made.view]);
    expect(shown.badge).toBeUndefined();
  });

  test('says which file of its build is missing, in the page and in the log', async () => {
    const made = viewIn(atWork, { stat: () => Promise.reject(new Error('not found')) });
    const { webview } = webviewOf();
    made.resolve(webview);
    await eventually(() => webview.html).toContain('/ext/out/panel-element.js is missing');
    expect(made.lines.join()).toContain('acp-client-sdk/panel-element');
  });

  test('refuses a manifest without a view', () => {
    expect(() => viewIn(atWork, { manifest: {} })).toThrow(/no view of the type "webview"/);
  });

  test('lets the user open a folder, or work in the home directory, where none is open', async () => {
    const options = { homeDirectory: '/home/me' };
    const home = viewIn({}, { options, answer: 'Work in the home directory' });
    await home.shows(({ problem }) => problem?.remedy === 'openFolder');
    await home.page().openFolder();
    await home.shows(({ phase }) => phase === 'open');
    expect(home.commands).toEqual([]);
    // A folder is open now: there is nothing to ask.
    const open = viewIn(atWork, { options });
    await open.shows(({ phase }) => phase === 'open');
    await open.page().openFolder();
    expect([open.asked, open.commands]).toEqual([[], ['vscode.openFolder']]);
    const folder = viewIn({}, { options, answer: 'Open a folder…' });
    await folder.shows(({ problem }) => problem?.remedy === 'openFolder');
    await folder.page().openFolder();
    expect([folder.commands, folder.agents]).toEqual([['vscode.openFolder'], []]);
    const dismissed = viewIn({}, { options });
    await dismissed.shows(({ problem }) => problem?.remedy === 'openFolder');
    await dismissed.page().openFolder();
    expect(dismissed.asked).toEqual([['No folder is open', 'Open a folder…', 'Work in the home directory']]);
    expect([dismissed.commands, dismissed.agents, dismissed.kept.size]).toEqual([[], [], 0]);
    const without = viewIn({ workspaceFolders: [] }, { answer: 'Work in the home directory' });
    await without.shows(({ problem }) => problem?.remedy === 'openFolder');
    await without.page().openFolder();
    expect([without.asked, without.commands, without.agents]).toEqual([[], ['vscode.openFolder'], []]);
  });

  test('attaches images as the agent takes them, and has the editor of the extension', async () => {
    const opened: string[] = [];
    const editor = { openLink: async (url: string) => void opened.push(url) };
    const kinds: unknown[] = [];
    for (const image of [true, false]) {
      const initialize = { protocolVersion: 1, agentCapabilities: { promptCapabilities: { image } } };
      const { shows, page } = viewIn(atWork, { setup: { initialize }, options: { editor } });
      await shows(({ phase }) => phase === 'open');
      const [block] = await page().chooseAttachments();
      kinds.push(block?.type);
    }
    expect(kinds).toEqual(['image', 'resource_link']);
  });

  test('logs in with the program of the agent that the user has chosen, or of the extension', async () => {
    const programOf = (command: string) => () => ({ command, args: [], cwd: undefined, env: {} });
    const authMethods = [{ id: 'tty', name: 'Terminal', type: 'terminal' }];
    const setup = { initialize: { protocolVersion: 1, agentCapabilities: {}, authMethods } };
    const logInWith = async (
      own: PanelAgent['terminalLogin'],
      terminalLogin: AgentViewOptions['terminalLogin'],
    ) => {
      const agents: PanelAgent[] = [
        { id: 'one', name: 'One', start: () => made.start(), ...(own && { terminalLogin: own }) },
      ];
      const made = viewIn(atWork, { setup, options: { agents, ...(terminalLogin && { terminalLogin }) } });
      await made.shows(({ agents: listed }) => listed.length === 1);
      await made.panel.chooseAgent('one');
      await made.shows(({ phase }) => phase === 'open');
      await made.page().login('tty');
      return made.logins;
    };
    expect(await logInWith(programOf('own'), programOf('extension'))).toEqual(['own']);
    expect(await logInWith(undefined, programOf('extension'))).toEqual(['extension']);
    await expect(logInWith(undefined, undefined)).rejects.toThrow(/the agent names no program for it/);
  });

  test('says to the agent that a terminal can log in, if it or the extension can do it', async () => {
    const terminalLogin = () => ({ command: 'agent', args: [], cwd: undefined, env: {} });
    const said: unknown[] = [];
    for (const options of [{}, { terminalLogin }, { editor: { loginInTerminal: async () => {} } }]) {
      const { shows, agents } = viewIn(atWork, { options });
      await shows(({ phase }) => phase === 'open');
      said.push(agents[0]?.calls('initialize')[0]?.params);
    }
    expect(said).toMatchObject([
      {},
      { clientCapabilities: { auth: { terminal: true } } },
      { clientCapabilities: { auth: { terminal: true } } },
    ]);
    expect(said[0]).not.toHaveProperty('clientCapabilities.auth.terminal', true);
  });
});
