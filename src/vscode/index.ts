export {
  type AgentProcessOptions,
  agentProcess,
  type SpawnSettings,
  type WorkspaceAgent,
} from './agent-process.ts';
export { type AgentView, type AgentViewOptions, agentView } from './agent-view.ts';
export type {
  VsCode,
  VsCodeCancellationToken,
  VsCodeContext,
  VsCodeDisposable,
  VsCodeDocument,
  VsCodeEvent,
  VsCodeInputBox,
  VsCodeLog,
  VsCodeMemento,
  VsCodePickItem,
  VsCodePseudoterminal,
  VsCodeQuickInput,
  VsCodeQuickPick,
  VsCodeRange,
  VsCodeStatusItem,
  VsCodeTerminal,
  VsCodeUri,
  VsCodeWebview,
  VsCodeWebviewView,
  VsCodeWebviewViewProvider,
  VsCodeWorkspaceEdit,
} from './api.ts';
export { type AskOptions, askWithQuickPick, type QuickPickHandlers } from './ask.ts';
export { type WorkspaceBuffers, workspaceBuffers } from './buffers.ts';
export { toAbortSignal } from './cancellation.ts';
export {
  type EditorActions,
  type EditorActionsOptions,
  editorActions,
  type TerminalLogin,
} from './editor-actions.ts';
export { type WorkspaceFiles, type WorkspaceFilesOptions, workspaceFiles } from './files.ts';
export { sessionMemory } from './memory.ts';
export { type AgentStatusItemOptions, agentStatusItem } from './status-item.ts';
export { type LiveTerminals, type WorkspaceTerminalsOptions, workspaceTerminals } from './terminals.ts';
export { webviewChannel } from './webview.ts';
export { type WorkspaceSession, type WorkspaceSessionOptions, workspaceSession } from './workspace.ts';
