import { homedir } from 'node:os';
import {
  type AgentCommand,
  type AgentProcess,
  knownAgents,
  nodeCommand,
  nodeFileSystem,
  nodeTerminals,
  spawnAgent,
  terminalLoginCommand,
} from 'acp-client-sdk/node';
import type { PanelAgent } from 'acp-client-sdk/panel';
import { openTranscripts } from 'acp-client-sdk/transcripts';
import {
  type AgentView,
  agentProcess,
  agentView,
  workspaceBuffers,
  workspaceSession,
  workspaceTerminals,
} from 'acp-client-sdk/vscode';
import * as vscode from 'vscode';
import { reviewedWrites } from './review.ts';
import { windowTools } from './tools.ts';

const clientInfo = { name: 'agent-panel', title: 'Agent Panel', version: '0.0.1' };
/** What every connection has. An empty prompt shows what the agent suggests. */
const client = { clientInfo, promptSuggestions: true };
const homeDirectory = homedir();
const settings = () => vscode.workspace.getConfiguration('agentPanel');
let view: AgentView | undefined;

/** VS Code calls this when the view is opened for the first time. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const agent = agentProcess(vscode, spawnAgent, undefined, { homeDirectory });
  const mcpServers = [windowTools()];
  // They stay when the agent is changed, updated or removed.
  const directory = vscode.Uri.joinPath(context.globalStorageUri, 'transcripts').fsPath;
  const transcripts = await openTranscripts({ directory }).catch((error: unknown) => {
    agent.log.warn(String(error));
    return undefined;
  });
  const shown = agentView(vscode, context, {
    viewId: 'agentPanel.view',
    page: { script: 'dist/webview.js', styles: 'dist/webview.css' },
    agents: () => agentsOf(context, agent.start),
    connect: () => ({ ...client, ...agent.connectOptions, handlers: clientHandlers() }),
    // The example sessions of the demo agent are in other directories.
    sessions: 'all',
    workspace: () => ({ ...workspaceSession(vscode, { homeDirectory }), mcpServers }),
    homeDirectory,
    transcripts,
    onProblem: ({ message }) => agent.log.warn(message),
  });
  view = shown;
  const restart = () => void shown.panel.restart();
  context.subscriptions.push(
    agent,
    vscode.commands.registerCommand('agentPanel.restart', restart),
    vscode.commands.registerCommand('agentPanel.chooseAgent', () => shown.panel.chooseAgent(null)),
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

type Start = (command: AgentCommand) => AgentProcess;

/** The program of the setting, if it names one. Otherwise the user chooses an agent in the panel. */
async function agentsOf(
  { extensionUri, globalStorageUri }: vscode.ExtensionContext,
  start: Start,
): Promise<readonly PanelAgent[]> {
  const [command, ...args] = settings().get<string[]>('command', []);
  if (command !== undefined) return [ownAgent('command', command, { command, args, env: {} }, start)];
  const fileOf = (...names: string[]) => vscode.Uri.joinPath(globalStorageUri, ...names).fsPath;
  const program = vscode.Uri.joinPath(extensionUri, 'dist', 'demo-agent.mjs').fsPath;
  const demo = nodeCommand(program, ['--state', fileOf('sessions')]);
  const description = 'For a first try: it has no model, and needs no key and no network.';
  return [
    { ...ownAgent('demo', 'Demo agent', demo, start), description },
    ...(await knownAgents({ start, clientInfo, cacheFolder: fileOf('registry') })),
  ];
}

function ownAgent(id: string, name: string, command: AgentCommand, start: Start): PanelAgent {
  const terminalLogin: PanelAgent['terminalLogin'] = (method) => terminalLoginCommand(command, method);
  return { id, name, isInstalled: true, start: () => start(command), terminalLogin };
}
