/**
 * Files, terminals, sessions and views of VS Code for an agent.
 *
 * Level: preview.
 *
 * @packageDocumentation
 */

export { type AgentView, type AgentViewOptions, agentView } from '../ui/vscode/agent-view.ts';
export type { VsCode, VsCodeContext } from '../ui/vscode/api.ts';
export { type WorkspaceBuffers, workspaceBuffers } from '../ui/vscode/buffers.ts';
export { type EditorActions, editorActions } from '../ui/vscode/editor-actions.ts';
export { type WorkspaceFiles, workspaceFiles } from '../ui/vscode/files.ts';
export { sessionMemory } from '../ui/vscode/memory.ts';
export { type LiveTerminals, workspaceTerminals } from '../ui/vscode/terminals.ts';
export { webviewChannel } from '../ui/vscode/webview.ts';
export { type WorkspaceSession, workspaceSession } from '../ui/vscode/workspace.ts';
