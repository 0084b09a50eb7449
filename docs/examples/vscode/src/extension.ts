import { homedir } from 'node:os';
import {
  nodeCommand,
  nodeFileSystem,
  nodeTerminals,
  spawnAgent,
  terminalLoginCommand,
} from 'acp-client-sdk/node';
import {
  type AgentView,
  agentProcess,
  agentStatusItem,
  agentView,
  workspaceBuffers,
  workspaceSession,
  workspaceTerminals,
} from 'acp-client-sdk/vscode';
import * as vscode from 'vscode';
import { reviewedWrites } from './review.ts';
import { windowTools } from './tools.ts';

const clientInfo = { name: 'agent-panel', title: 'Agent Panel', version: '0.0.1' };
const homeDirectory = homedir();
const settings = () => vscode.workspace.getConfiguration('agentPanel');
let view: AgentView | undefined;

/** VS Code calls this when the view is opened for the first time. */
export function activate(context: vscode.ExtensionContext): void {
  const agent = agentProcess(vscode, spawnAgent, () => agentCommand(context), { homeDirectory });
  const mcpServers = [windowTools()];
  const shown = agentView(vscode, context, {
    viewId: 'agentPanel.view',
    page: { script: 'dist/webview.js', styles: 'dist/webview.css' },
    agent: agent.start,
    connect: () => ({ clientInfo, ...agent.connectOptions, handlers: clientHandlers() }),
    // The example sessions of the demo agent are in other directories.
    sessions: 'all',
    workspace: () => ({ ...workspaceSession(vscode, { homeDirectory }), mcpServers }),
    homeDirectory,
    terminalLogin: (method) => terminalLoginCommand(agentCommand(context), method),
    onProblem: ({ message }) => agent.log.warn(message),
  });
  view = shown;
  const restart = () => void shown.panel.restart();
  context.subscriptions.push(
    agent,
    agentStatusItem(vscode, shown.panel, { command: 'agentPanel.view.focus' }),
    vscode.commands.registerCommand('agentPanel.restart', restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('agentPanel.command')) restart();
    }),
  );
}

/** VS Code waits for the promise when it ends, so that no process of the agent is left behind. */
export const deactivate = (): Promise<void> | undefined => view?.close();

/** What agents of version 1 do through the editor. */
function clientHandlers() {
  const { cwd } = workspaceSession(vscode, { homeDirectory });
  return {
    ...reviewedWrites(nodeFileSystem(workspaceBuffers(vscode)), () => settings().get('reviewWrites', false)),
    terminals: workspaceTerminals(vscode, nodeTerminals({ cwd })),
  };
}

function agentCommand({ extensionUri, globalStorageUri }: vscode.ExtensionContext) {
  const [command, ...args] = settings().get<string[]>('command', []);
  if (command !== undefined) return { command, args };
  const demoAgent = vscode.Uri.joinPath(extensionUri, 'dist', 'demo-agent.mjs').fsPath;
  return nodeCommand(demoAgent, ['--state', vscode.Uri.joinPath(globalStorageUri, 'sessions').fsPath]);
}
