export type * from '../vscode/agent-process.ts';
export { agentProcess } from '../vscode/agent-process.ts';
export { type AgentView, type AgentViewOptions, agentView } from '../vscode/agent-view.ts';
export type * from '../vscode/api.ts';
export { askWithQuickPick, type QuickPickHandlers } from '../vscode/ask.ts';
export { type WorkspaceBuffers, workspaceBuffers } from '../vscode/buffers.ts';
export { toAbortSignal } from '../vscode/cancellation.ts';
export type * from '../vscode/editor-actions.ts';
export { editorActions } from '../vscode/editor-actions.ts';
export { type WorkspaceFiles, workspaceFiles } from '../vscode/files.ts';
export { sessionMemory } from '../vscode/memory.ts';
export { agentStatusItem } from '../vscode/status-item.ts';
export {
  type LiveTerminals,
  type WorkspaceTerminalsOptions,
  workspaceTerminals,
} from '../vscode/terminals.ts';
export { webviewChannel } from '../vscode/webview.ts';
export { type WorkspaceSession, workspaceSession } from '../vscode/workspace.ts';
