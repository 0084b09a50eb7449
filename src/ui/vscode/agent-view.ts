import { InvalidParamsError } from '../../core/base/errors.ts';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { Transport } from '../../core/transport/transport.ts';
import type { PanelAgent } from '../panel/agent-choice.ts';
import type { PanelOptions } from '../panel/options.ts';
import { type ServedPanel, servePanel } from '../panel/serve.ts';
import type { VsCode, VsCodeContext, VsCodeUri, VsCodeWebview } from './api.ts';
import { type EditorActionsOptions, editorActions } from './editor-actions.ts';
import { workspaceFiles } from './files.ts';
import { homeDirectory } from './home-directory.ts';
import { logOptions } from './log.ts';
import { manifestOf } from './manifest.ts';
import { sessionMemory } from './memory.ts';
import { elementBody, rootBody, showPage, showReason, webviewChannel } from './webview.ts';
import { assertCanRun, workspaceSession } from './workspace.ts';

/** The options of `spawnAgent` that {@link agentView} gives. */
export interface SpawnSettings {
  readonly cwd?: string | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Options of {@link agentView}: those of `servePanel`, most of which have a default here. */
export interface AgentViewOptions
  extends Omit<PanelOptions, 'agent' | 'agents' | 'connect' | 'workspace'>,
    Pick<EditorActionsOptions, 'terminalLogin'> {
  /** The module `vscode`. */
  readonly vscode: VsCode;
  /** What `activate` was called with. */
  readonly context: VsCodeContext;
  /**
   * Starts the agent. It is called again for each start. Spread `start` into the options of `spawnAgent`: it has the first
   * directory of the workspace, and writes the agent's stderr to the log. Pass this or `agents`.
   */
  readonly agent?: ((start: SpawnSettings) => Transport | Promise<Transport>) | undefined;
  /** The agents that the user can choose from, or a function that is called for each start, such as of `knownAgents`. */
  readonly agents?:
    | readonly PanelAgent[]
    | ((start: () => SpawnSettings) => readonly PanelAgent[] | Promise<readonly PanelAgent[]>)
    | undefined;
  /**
   * The options of `connect`, or a function that is called for each start. Default: the name and the version of the
   * manifest, the log of the view, and the files of the workspace as {@link workspaceFiles} serves them.
   */
  readonly connect?:
    | (Omit<ConnectOptions, 'clientInfo'> & {
        readonly clientInfo?: ConnectOptions['clientInfo'] | undefined;
      })
    | (() => Omit<ConnectOptions, 'clientInfo'> & {
        readonly clientInfo?: ConnectOptions['clientInfo'] | undefined;
      })
    | undefined;
  /** The id of the view in the manifest, with the type `webview`. Default: the first such view. */
  readonly viewId?: string | undefined;
  /**
   * The files of a page of your own, relative to the extension. It has an element with the id `root`, and calls
   * `connectPanel`. Default: `<acp-panel>`, of the file `panel-element.js` beside the file that `main` of the manifest
   * names: make it an entry point of your build, `acp-client-sdk/panel-element`.
   */
  readonly page?:
    | {
        /** For example `dist/webview.js`. */
        readonly script: string;
        readonly styles?: string | undefined;
        /** Default: the name of the extension. */
        readonly title?: string | undefined;
      }
    | undefined;
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
  /** The log in VS Code's Output panel: the agent's stderr, diagnostics, and messages at the level Trace. */
  readonly log: ReturnType<VsCode['window']['createOutputChannel']>;
  /** Ends the agent and removes the view. Return the promise from `deactivate`: VS Code waits for it. */
  close(): Promise<void>;
  /** Calls {@link AgentView.close}. The view is in `context.subscriptions`. */
  dispose(): void;
}

/**
 * A complete panel for an agent in a view of VS Code: the page, the directories and files of the workspace, the memory of
 * the session, the log, the actions of the editor, and the number of open questions on the icon. The agent is started at
 * once.
 *
 * In a workspace that the user has not trusted, and in one without a directory on disk, nothing is started, and
 * `state.problem` says what the user can do. The start follows when the user has trusted the workspace, or has added a
 * directory.
 *
 * The page's Content Security Policy allows its script, its style sheet, and the images and media that the conversation
 * contains. Nothing is loaded from the network.
 *
 * @throws {@link InvalidParamsError} if the manifest has no view of the type `webview`, and `viewId` is absent.
 *
 * @example
 * ```ts
 * const view = agentView({
 *   vscode,
 *   context,
 *   agent: (start) => spawnAgent({ command: 'some-agent', args: ['--acp'], ...start }),
 * });
 * ```
 */
export function agentView(options: AgentViewOptions): AgentView {
  const { vscode, context, page, homeDirectory: directory, terminalLogin, agent, agents, ...given } = options;
  const { viewId: namedView, connect, ...panelOptions } = given;
  const manifest = manifestOf(context);
  const viewId = namedView ?? manifest.viewId;
  if (viewId === undefined) {
    throw new InvalidParamsError(
      'agentView: the manifest of the extension has no view of the type "webview". Add one to contributes.views of package.json, or pass viewId. Nothing was started.',
    );
  }
  const log = vscode.window.createOutputChannel(manifest.title, { log: true });
  const state = context.workspaceState;
  const home =
    directory === undefined
      ? undefined
      : homeDirectory(vscode, state, { directory, key: `${viewId}.homeDirectory` });
  const directories = () => workspaceSession(vscode, { homeDirectory: home?.chosen() });
  const workspace = panelOptions.workspace ?? directories;
  /** Whether the last start was refused. */
  let isRefused = false;
  /** Starts an agent where it may run. */
  const startWhereAllowed = <T>(task: () => T): T => {
    isRefused = true;
    assertCanRun(vscode);
    if (home || !panelOptions.workspace) directories();
    isRefused = false;
    return task();
  };
  const start = (): SpawnSettings => ({
    cwd: workspace().cwd,
    onStderr: (text) => log.info(text.trimEnd()),
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
  const panel = servePanel({
    ...panelOptions,
    ...(agent && { agent: () => startWhereAllowed(() => agent(start())) }),
    ...(agents && {
      agents: () => startWhereAllowed(() => (typeof agents === 'function' ? agents(start) : agents)),
    }),
    connect() {
      const given = typeof connect === 'function' ? connect() : (connect ?? {});
      return {
        ...logOptions(vscode, log),
        ...given,
        clientInfo: given.clientInfo ?? manifest.clientInfo,
        handlers: given.handlers ?? workspaceFiles(vscode),
      };
    },
    workspace,
    memory: panelOptions.memory ?? sessionMemory(state, `${viewId}.session`, context.globalState),
    editor: { ...actions, openFolder, showLog: () => log.show(), ...panelOptions.editor },
    onProblem(problem) {
      log.warn(problem.message);
      panelOptions.onProblem?.(problem);
    },
  });
  const startIfRefused = () => {
    if (isRefused) void panel.restart();
  };
  const fileOf = (path: string) => vscode.Uri.joinPath(context.extensionUri, ...path.split('/'));
  const reportIfMissing = (script: VsCodeUri, webview: VsCodeWebview) => {
    vscode.workspace.fs.stat(script).then(undefined, () => {
      const message = `${script.fsPath} is missing. Add an entry point to the build of the extension: 'panel-element': 'acp-client-sdk/panel-element'.`;
      log.error(message);
      showReason(webview, message);
    });
  };
  const registration = vscode.window.registerWebviewViewProvider(viewId, {
    resolveWebviewView(view) {
      const { webview, onDidDispose } = view;
      const { script, styles, title = manifest.title } = page ?? { script: manifest.elementScript };
      showPage(webview, vscode, {
        title,
        body: page ? rootBody : elementBody,
        script: fileOf(script),
        styles: styles === undefined ? undefined : fileOf(styles),
      });
      if (!page) reportIfMissing(fileOf(script), webview);
      const detach = panel.attach(webviewChannel(webview));
      const stop = showStatus(view, panel);
      onDidDispose(() => {
        stop();
        detach();
      });
    },
  });
  const parts = [
    registration,
    vscode.workspace.onDidGrantWorkspaceTrust(startIfRefused),
    vscode.workspace.onDidChangeWorkspaceFolders(startIfRefused),
    actions,
  ];

  const close = async () => {
    for (const part of parts.splice(0)) part.dispose();
    await panel.close();
    log.dispose();
  };
  const view: AgentView = { panel, log, close, dispose: () => void close() };
  context.subscriptions?.push(view);
  return view;
}

type View = Parameters<
  Parameters<VsCode['window']['registerWebviewViewProvider']>[1]['resolveWebviewView']
>[0];

/** Shows the agent beside the title of the view, and on its icon how many questions wait. Returns what ends it. */
function showStatus(view: View, panel: ServedPanel): () => void {
  const show = () => {
    const { agent, questions, waiting } = panel.state;
    const count = waiting.reduce((sum, session) => sum + session.count, questions.length);
    view.description = agent?.title ?? agent?.name;
    view.badge =
      count === 0
        ? undefined
        : { value: count, tooltip: count === 1 ? '1 question waits' : `${count} questions wait` };
  };
  show();
  return panel.subscribe(show);
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
