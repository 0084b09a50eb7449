export {
  type AgentProcessOptions,
  agentProcess,
  type SpawnSettings,
  type WorkspaceAgent,
} from './agent-process.ts';
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
export { type WorkspaceBuffers, workspaceBuffers } from './buffers.ts';
export { toAbortSignal } from './cancellation.ts';
export { type WorkspaceFiles, type WorkspaceFilesOptions, workspaceFiles } from './files.ts';
export { type LiveTerminals, type WorkspaceTerminalsOptions, workspaceTerminals } from './terminals.ts';
export { type WorkspaceSession, type WorkspaceSessionOptions, workspaceSession } from './workspace.ts';
