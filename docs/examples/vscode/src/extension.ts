import { homedir } from 'node:os';
import {
  type AgentCommand,
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
  type AgentViewOptions,
  agentView,
  workspaceBuffers,
  workspaceSession,
  workspaceTerminals,
} from 'acp-client-sdk/vscode';
import * as vscode from 'vscode';
import { reviewedWrites } from './review.ts';
import { windowTools } from './tools.ts';

type SpawnSettings = Parameters<NonNullable<AgentViewOptions['agent']>>[0];

const homeDirectory = homedir();
const settings = () => vscode.workspace.getConfiguration('agentPanel');
let view: AgentView | undefined;

/** VS Code calls this when the view is opened for the first time. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const mcpServers = [windowTools()];
  // They stay when the agent is changed, updated or removed.
  const directory = vscode.Uri.joinPath(context.globalStorageUri, 'transcripts').fsPath;
  const warn = (error: unknown) => void vscode.window.showWarningMessage(String(error));
  const shown = agentView({
    vscode,
    context,
    agents: (start) => agentsOf(context, start),
    connect: () => ({ promptSuggestions: true, handlers: clientHandlers() }),
    // The example sessions of the demo agent are in other directories.
    sessions: 'all',
    workspace: () => ({ ...workspaceSession(vscode, { homeDirectory }), mcpServers }),
    homeDirectory,
    transcripts: (await openTranscripts({ directory }).catch(warn)) ?? undefined,
  });
  view = shown;
  const restart = () => void shown.panel.restart();
  context.subscriptions.push(
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

/** The program of the setting, if it names one. Otherwise the user chooses an agent in the panel. */
async function agentsOf(
  { extensionUri, globalStorageUri }: vscode.ExtensionContext,
  given: () => SpawnSettings,
): Promise<readonly PanelAgent[]> {
  const start = (agent: AgentCommand) => spawnAgent({ ...agent, ...given() });
  const own = (id: string, name: string, agent: AgentCommand): PanelAgent => {
    const terminalLogin: PanelAgent['terminalLogin'] = (method) => terminalLoginCommand(agent, method);
    return { id, name, isInstalled: true, start: () => start(agent), terminalLogin };
  };
  const [command, ...args] = settings().get<string[]>('command', []);
  if (command !== undefined) return [own('command', command, { command, args, env: {} })];
  const fileOf = (...names: string[]) => vscode.Uri.joinPath(globalStorageUri, ...names).fsPath;
  const program = vscode.Uri.joinPath(extensionUri, 'dist', 'demo-agent.mjs').fsPath;
  const demo = own('demo', 'Demo agent', nodeCommand(program, ['--state', fileOf('sessions')]));
  const description = 'For a first try: it has no model, and needs no key and no network.';
  return [{ ...demo, description }, ...(await knownAgents({ start, cacheFolder: fileOf('registry') }))];
}
