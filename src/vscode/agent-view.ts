import type { PanelOptions } from '../panel/options.ts';
import { type ServedPanel, servePanel } from '../panel/serve.ts';
import type { VsCode, VsCodeContext } from './api.ts';
import { type EditorActionsOptions, editorActions } from './editor-actions.ts';
import { sessionMemory } from './memory.ts';
import { webviewChannel, webviewHtml } from './webview.ts';
import { workspaceSession } from './workspace.ts';

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
  /** As in the options of {@link workspaceSession}: the directory of a session without an open directory. */
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
 * The page's Content Security Policy allows its script and its style sheet only. Nothing is loaded from the network.
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
  const { viewId, page, homeDirectory, terminalLogin, ...panelOptions } = options;
  const actions = editorActions(vscode, {
    terminalLogin,
    takesImages: () => panel.state.features['session.prompt.image'] === true,
  });
  const panel = servePanel({
    ...panelOptions,
    connect: () => {
      const { connect } = panelOptions;
      return {
        terminalLogin: terminalLogin !== undefined,
        ...(typeof connect === 'function' ? connect() : connect),
      };
    },
    workspace: panelOptions.workspace ?? (() => workspaceSession(vscode, { homeDirectory })),
    memory: panelOptions.memory ?? sessionMemory(context.workspaceState, `${viewId}.session`),
    editor: { ...actions, ...panelOptions.editor },
  });
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
    actions.dispose();
    return panel.close();
  };
  return { panel, close, dispose: () => void close() };
}
