import { InvalidParamsError } from '../../core/base/errors.ts';
import type { PanelOptions } from '../panel/options.ts';
import { type ServedPanel, servePanel } from '../panel/serve.ts';
import type { VsCode, VsCodeContext } from './api.ts';
import { type EditorActions, type EditorActionsOptions, editorActions } from './editor-actions.ts';
import { homeDirectory } from './home-directory.ts';
import { sessionMemory } from './memory.ts';
import { webviewChannel, webviewHtml } from './webview.ts';
import { assertCanRun, workspaceSession } from './workspace.ts';

/** Options of {@link agentView}: those of `servePanel`, most of which have a default here. */
export interface AgentViewOptions
  extends Omit<PanelOptions, 'workspace'>,
    Pick<EditorActionsOptions, 'terminalLogin'> {
  /** The id of the view in the manifest, with the type `webview`. */
  readonly viewId: string;
  /** The files of the page, relative to the extension. The page has an element with the id `root`. */
  readonly page: {
    /** For example `dist/webview.js`. */
    readonly script: string;
    readonly styles?: string | undefined;
    /** Default: `Agent`. */
    readonly title?: string | undefined;
  };
  /** Default: {@link workspaceSession}. */
  readonly workspace?: PanelOptions['workspace'] | undefined;
  /**
   * The directory of a session without an open directory: `os.homedir()`. The user is asked before an agent works in it.
   * Default: the agent starts only in an open directory, or as {@link AgentViewOptions.workspace} says.
   */
  readonly homeDirectory?: string | undefined;
}

/** A view with a panel. */
export interface AgentView {
  readonly panel: ServedPanel;
  /** Ends the agent and removes the view. Return the promise from `deactivate`: VS Code waits for it. */
  close(): Promise<void>;
  /** Calls {@link AgentView.close}, for `context.subscriptions`. */
  dispose(): void;
}

/**
 * Registers a view with a panel for an agent: joins `servePanel` with the webview, the directories of the workspace,
 * the memory of the session, and the actions of the editor. The agent is started at once. The page calls
 * `connectPanel`.
 *
 * In a workspace that the user has not trusted, and in one without a directory on disk, nothing is started, and
 * `state.problem` says what the user can do. The start follows when the user has trusted the workspace, or has added a
 * directory.
 *
 * The page's Content Security Policy allows its script, its style sheet, and the images and media that the conversation
 * contains. Nothing is loaded from the network.
 *
 * @param vscode - The module `vscode`.
 * @param context - What `activate` was called with.
 *
 * @example
 * ```ts
 * const agent = agentProcess(vscode, spawnAgent, { command: 'some-agent', args: ['--acp'] });
 * const view = agentView(vscode, context, {
 *   viewId: 'myPanel.view',
 *   page: { script: 'dist/webview.js', styles: 'dist/webview.css' },
 *   agent: agent.start,
 *   connect: { clientInfo, ...agent.connectOptions, handlers: nodeFileSystem(workspaceBuffers(vscode)) },
 * });
 * context.subscriptions.push(agent, view);
 * ```
 */
export function agentView(vscode: VsCode, context: VsCodeContext, options: AgentViewOptions): AgentView {
  const { viewId, page, homeDirectory: directory, terminalLogin, agent, agents, ...panelOptions } = options;
  const state = context.workspaceState;
  const home =
    directory === undefined
      ? undefined
      : homeDirectory(vscode, state, { directory, key: `${viewId}.homeDirectory` });
  const directories = () => workspaceSession(vscode, { homeDirectory: home?.chosen() });
  const gate = new Gate(() => {
    assertCanRun(vscode);
    if (home || !panelOptions.workspace) directories();
  });
  const loginOf = agents ? loginWith(terminalLogin) : terminalLogin;
  const actions = editorActions(vscode, {
    terminalLogin: loginOf,
    takesImages: () => panel.state.features['session.prompt.image'] === true,
  });
  const openFolder = async (): Promise<void> => {
    const isOpen = (vscode.workspace.workspaceFolders ?? []).length > 0;
    if (!home || isOpen) await actions.openFolder();
    else if (await home.ask(actions.openFolder)) await panel.restart();
  };
  const editor: EditorActions = { ...actions, openFolder };
  const panel = servePanel({
    ...panelOptions,
    ...(agent && { agent: () => gate.pass(agent) }),
    ...(agents && { agents: () => gate.pass(() => (typeof agents === 'function' ? agents() : agents)) }),
    workspace: panelOptions.workspace ?? directories,
    memory: panelOptions.memory ?? sessionMemory(state, `${viewId}.session`, context.globalState),
    editor: { ...editor, ...panelOptions.editor },
  });
  const startIfRefused = () => {
    if (gate.isClosed) void panel.restart();
  };
  const waits = [
    vscode.workspace.onDidGrantWorkspaceTrust(startIfRefused),
    vscode.workspace.onDidChangeWorkspaceFolders(startIfRefused),
  ];
  const fileOf = (path: string) => vscode.Uri.joinPath(context.extensionUri, ...path.split('/'));
  const script = fileOf(page.script);
  const styles = page.styles === undefined ? undefined : fileOf(page.styles);

  const registration = vscode.window.registerWebviewViewProvider(viewId, {
    resolveWebviewView({ webview, onDidDispose }) {
      const directories = [script, ...(styles ? [styles] : [])].map((file) =>
        vscode.Uri.joinPath(file, '..'),
      );
      webview.options = { enableScripts: true, localResourceRoots: directories };
      const detach = panel.attach(webviewChannel(webview));
      onDidDispose(detach);
      webview.html = webviewHtml(webview, { title: page.title ?? 'Agent', script, styles });
    },
  });

  const close = () => {
    registration.dispose();
    for (const wait of waits) wait.dispose();
    actions.dispose();
    return panel.close();
  };
  return { panel, close, dispose: () => void close() };
}

/** Lets an agent start where it may, and knows whether it refused the last start. */
class Gate {
  readonly #assert: () => void;
  isClosed = false;

  constructor(assert: () => void) {
    this.#assert = assert;
  }

  pass<T>(task: () => T): T {
    this.isClosed = true;
    this.#assert();
    this.isClosed = false;
    return task();
  }
}

/** The login of the agent that the user has chosen, or of the extension. */
function loginWith(
  login: EditorActionsOptions['terminalLogin'],
): NonNullable<EditorActionsOptions['terminalLogin']> {
  return (method, agent) => {
    const own = agent?.terminalLogin ?? login;
    if (own) return own(method, agent);
    throw new InvalidParamsError(
      `The login "${method.name}" runs in a terminal, and the agent names no program for it. Log in as the agent's documentation says, then start the agent again.`,
    );
  };
}
