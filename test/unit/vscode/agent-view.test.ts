import { describe, expect, onTestFinished, test } from 'vitest';
import type { PanelAgent } from '../../../src/panel/agent-choice.ts';
import type { PanelState } from '../../../src/panel/state.ts';
import { type AgentViewOptions, agentView } from '../../../src/vscode/agent-view.ts';
import type { VsCode, VsCodePickItem } from '../../../src/vscode/api.ts';
import { homeDirectory } from '../../../src/vscode/home-directory.ts';
import { hostOptions, until } from '../../support/panel-pair.ts';
import { fileUri, foldersWith, ModelEvent, mementoOf, modelOf } from '../../support/vscode-model.ts';

/** The view of an extension whose agent follows a script, in a window whose workspace can change. */
function viewIn(
  workspace: { isTrusted?: boolean; workspaceFolders?: VsCode['workspace']['workspaceFolders'] },
  {
    options = {},
    kept = new Map<string, unknown>(),
  }: { options?: Partial<AgentViewOptions>; kept?: Map<string, unknown> } = {},
) {
  const changed = new ModelEvent<unknown>();
  const trusted = new ModelEvent<void>();
  let isOpen = true;
  const vscode = modelOf({
    workspace: {
      onDidChangeWorkspaceFolders: changed.event,
      onDidGrantWorkspaceTrust: trusted.event,
      registerTextDocumentContentProvider: () => ({ dispose: () => {} }),
    },
    window: {
      registerWebviewViewProvider: () => ({
        dispose: () => {
          isOpen = false;
        },
      }),
    },
  });
  // As in VS Code, the values change.
  Object.defineProperties(vscode.workspace, {
    isTrusted: { get: () => workspace.isTrusted ?? true },
    workspaceFolders: { get: () => workspace.workspaceFolders },
  });
  const { start, agents, options: panelOptions } = hostOptions({});
  const context = { extensionUri: fileUri('/ext'), workspaceState: mementoOf(kept) };
  const view = agentView(vscode, context, {
    viewId: 'test.view',
    page: { script: 'page.js' },
    ...(options.agents === undefined && { agent: start }),
    connect: panelOptions.connect,
    ...options,
  });
  onTestFinished(() => view.close());
  const { panel } = view;
  const store = { getSnapshot: () => panel.state, subscribe: panel.subscribe.bind(panel) };
  const shows = (isThere: (state: PanelState) => boolean) => until(store, isThere);
  return { view, panel, agents, start, changed, trusted, kept, shows, isOpen: () => isOpen };
}

/** A list in which the user chooses the item with the label, or presses Escape. */
function pickOf<T extends VsCodePickItem>(asked: string[][], answer: string | undefined) {
  const accepted = new ModelEvent<void>();
  const hidden = new ModelEvent<void>();
  const items: readonly T[] = [];
  const pick = {
    title: '',
    step: undefined,
    totalSteps: undefined,
    placeholder: '',
    ignoreFocusOut: false,
    value: '',
    items,
    canSelectMany: false,
    selectedItems: items,
    onDidAccept: accepted.event,
    onDidHide: hidden.event,
    show() {
      asked.push(pick.items.map(({ label }) => label));
      pick.selectedItems = pick.items.filter(({ label }) => label === answer);
      queueMicrotask(() => (pick.selectedItems.length > 0 ? accepted : hidden).fire());
    },
    dispose() {},
  };
  return pick;
}

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
    const { shows, agents, changed } = viewIn(workspace, { options: { homeDirectory: '/home/me' } });
    const { problem } = await shows((state) => state.problem !== null);
    expect(problem).toMatchObject({ remedy: 'openFolder' });
    expect(agents).toEqual([]);
    workspace.workspaceFolders = foldersWith('file:///work/first');
    changed.fire(undefined);
    await shows(({ phase }) => phase === 'open');
    workspace.workspaceFolders = foldersWith('file:///work/first', 'file:///work/second');
    changed.fire(undefined);
    await shows(({ phase }) => phase === 'open');
    expect(agents).toHaveLength(1);
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
    const { view, changed, trusted, isOpen } = viewIn({ workspaceFolders: foldersWith('file:///work') });
    expect([changed.listeners.size, trusted.listeners.size]).toEqual([1, 1]);
    await view.close();
    expect([changed.listeners.size, trusted.listeners.size, isOpen()]).toEqual([0, 0, false]);
  });
});

describe('the home directory', () => {
  const homeOf = (answer: string | undefined, kept: Map<string, unknown>) => {
    const asked: string[][] = [];
    const vscode = modelOf({
      window: { createQuickPick: <T extends VsCodePickItem>() => pickOf<T>(asked, answer) },
    });
    const home = homeDirectory(vscode, mementoOf(kept), { directory: '/home/me', key: 'home' });
    let opened = 0;
    const ask = () =>
      home.ask(async () => {
        opened++;
      });
    return { home, asked, ask, opened: () => opened };
  };

  test('is kept for the workspace when the user chooses it', async () => {
    const kept = new Map<string, unknown>();
    const { home, ask, asked, opened } = homeOf('Work in the home directory', kept);
    expect(home.chosen()).toBeUndefined();
    expect(await ask()).toBe(true);
    expect([home.chosen(), opened()]).toEqual(['/home/me', 0]);
    expect(asked).toEqual([['Open a folder…', 'Work in the home directory']]);
    expect(homeOf(undefined, kept).home.chosen()).toBe('/home/me');
  });

  test.each([
    ['Open a folder…', 1],
    [undefined, 0],
  ])('is not used when the user chooses %s', async (answer, times) => {
    const { home, ask, opened } = homeOf(answer, new Map());
    expect(await ask()).toBe(false);
    expect([home.chosen(), opened()]).toEqual([undefined, times]);
  });
});
