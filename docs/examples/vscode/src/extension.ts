import type { AuthRequiredHandler } from 'acp-client-sdk';
import { nodeCommand, spawnAgent } from 'acp-client-sdk/node';
import * as vscode from 'vscode';
import { Agent } from './agent.ts';
import { clientFiles } from './files.ts';
import type { WebviewMessage } from './messages.ts';
import { webviewHtml } from './webview-html.ts';

const viewId = 'agentPanel.view';

/** VS Code calls this when the view is opened for the first time. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Agent', { log: true });
  let view: vscode.WebviewView | undefined;

  const agent: Agent = new Agent({
    spawn: () =>
      spawnAgent({
        ...agentCommand(context),
        cwd: workspaceFolder(),
        onStderr: (text) => log.info(text.trimEnd()),
      }),
    cwd: workspaceFolder,
    connectOptions: () => ({
      clientInfo: { name: 'agent-panel', title: 'Agent Panel', version: '0.0.1' },
      handlers: { requestPermission: agent.requestPermission, ...clientFiles() },
      onAuthRequired: logIn,
      onDiagnostic: ({ severity, message }) =>
        severity === 'error' ? log.error(message) : log.warn(message),
    }),
    // A message to a webview that is gone is lost. The webview asks for everything when it is loaded again.
    post: (message) => void view?.webview.postMessage(message),
  });

  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView(resolved) {
      view = resolved;
      const { webview } = resolved;
      webview.options = {
        enableScripts: true,
        localResourceRoots: [vscode.Uri.joinPath(context.extensionUri, 'dist')],
      };
      webview.onDidReceiveMessage((message: WebviewMessage) => agent.receive(message));
      resolved.onDidDispose(() => {
        if (view === resolved) view = undefined;
      });
      webview.html = webviewHtml(webview, context.extensionUri);
    },
  };

  context.subscriptions.push(
    log,
    vscode.window.registerWebviewViewProvider(viewId, provider),
    vscode.commands.registerCommand('agentPanel.restart', () => agent.connect()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('agentPanel.command')) void agent.connect();
    }),
  );
  closeAgent = () => agent.close();
  void agent.connect();
}

let closeAgent: (() => Promise<void>) | undefined;

/** VS Code waits for the promise when it ends, so that no process of the agent is left behind. */
export function deactivate(): Promise<void> | undefined {
  return closeAgent?.();
}

/** Asks the user how to log in. */
async function logIn({ authMethods, connection }: Parameters<AuthRequiredHandler>[0]): Promise<void> {
  const items = authMethods.map(({ methodId, name, description }) => ({
    methodId,
    label: name,
    detail: description ?? '',
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'The agent needs a login' });
  if (chosen) await connection.login(chosen.methodId);
}

function agentCommand({ extensionUri, globalStorageUri }: vscode.ExtensionContext) {
  const [command, ...args] = vscode.workspace.getConfiguration('agentPanel').get<string[]>('command', []);
  if (command !== undefined) return { command, args };
  const demoAgent = vscode.Uri.joinPath(extensionUri, 'dist', 'demo-agent.mjs').fsPath;
  return nodeCommand(demoAgent, ['--state', vscode.Uri.joinPath(globalStorageUri, 'sessions').fsPath]);
}

function workspaceFolder(): string {
  // Without a folder, an agent would work in the folder of VS Code itself.
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder?.uri.fsPath ?? process.env['HOME'] ?? process.cwd();
}
