import { expectTypeOf, test } from 'vitest';
import type * as vscode from 'vscode';
import { connect } from '../../src/entries/index.ts';
import { nodeFileSystem, nodeTerminals, spawnAgent, terminalLoginCommand } from '../../src/entries/node.ts';
import { servePanel } from '../../src/entries/panel.ts';
import {
  agentProcess,
  agentView,
  editorActions,
  sessionMemory,
  toAbortSignal,
  type VsCode,
  type VsCodeContext,
  webviewChannel,
  workspaceBuffers,
  workspaceFiles,
  workspaceSession,
  workspaceTerminals,
} from '../../src/entries/vscode.ts';

declare const editor: typeof vscode;
declare const context: vscode.ExtensionContext;
declare const webview: vscode.Webview;
declare const token: vscode.CancellationToken;

test('the module of VS Code and its objects are taken without a cast', () => {
  expectTypeOf<typeof vscode>().toExtend<VsCode>();
  expectTypeOf<vscode.ExtensionContext>().toExtend<VsCodeContext>();
  expectTypeOf(toAbortSignal(token)).toEqualTypeOf<AbortSignal>();
});

test('its parts fit those of the other entries', () => {
  const { cwd } = workspaceSession(editor);
  const agent = agentProcess(editor, spawnAgent, () => ({ command: 'some-agent', env: { A: undefined } }));
  // A misspelt option of spawnAgent is found.
  // @ts-expect-error
  agentProcess(editor, spawnAgent, { command: 'some-agent', arguments: [] });
  const clientInfo = { name: 'my-editor', version: '1.0.0' };
  const terminals = workspaceTerminals(editor, nodeTerminals({ cwd }));
  const handlers = { ...nodeFileSystem(workspaceBuffers(editor)), terminals };
  void connect(agent.start, { clientInfo, ...agent.connectOptions, handlers });
  void connect(agent.start, { clientInfo, handlers: workspaceFiles(editor) });
});

test('the parts of a panel fit together', () => {
  const command = { command: 'some-agent' };
  const agent = agentProcess(editor, spawnAgent, command);
  const clientInfo = { name: 'my-editor', version: '1.0.0' };
  servePanel(
    {
      agent: agent.start,
      connect: { clientInfo, ...agent.connectOptions },
      workspace: () => workspaceSession(editor),
      memory: sessionMemory(context.workspaceState),
      editor: editorActions(editor, { terminalLogin: (method) => terminalLoginCommand(command, method) }),
    },
    webviewChannel(webview),
  );
  agentView({ vscode: editor, context, agent: (start) => spawnAgent({ ...command, ...start }) });
  const view = agentView({
    vscode: editor,
    context,
    viewId: 'panel.view',
    page: { script: 'dist/webview.js' },
    agent: () => agent.start(),
    connect: () => ({ clientInfo, ...agent.connectOptions }),
    terminalLogin: (method) => terminalLoginCommand(command, method),
  });
  context.subscriptions.push(agent, view);
});
