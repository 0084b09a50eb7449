import * as v from 'valibot';
import { describe, expectTypeOf, test } from 'vitest';
import type * as vscode from 'vscode';
import { z } from 'zod';
import { connect, type NewSessionParams } from '../../src/entries/index.ts';
import { nodeFileSystem, nodeTerminals, spawnAgent, terminalLoginCommand } from '../../src/entries/node.ts';
import { servePanel } from '../../src/entries/panel.ts';
import type { InitializeResponse } from '../../src/entries/schema-v1.ts';
import type { RequestPermissionRequest } from '../../src/entries/schema-v2.ts';
import { type Answer, noAnswer, type ScriptedAgent, scriptedAgent } from '../../src/entries/testing.ts';
import { mcpServer, toolServer } from '../../src/entries/tools.ts';
import {
  agentView,
  editorActions,
  sessionMemory,
  type VsCode,
  type VsCodeContext,
  webviewChannel,
  workspaceBuffers,
  workspaceFiles,
  workspaceSession,
  workspaceTerminals,
} from '../../src/entries/vscode.ts';

describe('a tool server', () => {
  test('gives each tool the input of its schema', () => {
    toolServer({
      name: 'editor',
      tools: {
        open_file: {
          description: 'Opens a file.',
          input: v.object({ path: v.string(), line: v.optional(v.number()) }),
          run: async ({ path, line }, { session, signal, progress, toolCallId }) => {
            expectTypeOf(path).toEqualTypeOf<string>();
            expectTypeOf(line).toEqualTypeOf<number | undefined>();
            expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            expectTypeOf(toolCallId).toEqualTypeOf<string | undefined>();
            progress({ progress: 1 });
            return session.cwd;
          },
        },
        zodded: {
          description: 'Of another library.',
          input: z.object({ count: z.number() }),
          run: ({ count }) => {
            expectTypeOf(count).toEqualTypeOf<number>();
          },
        },
        plain: {
          description: 'With a JSON Schema.',
          input: { type: 'object', properties: { a: { type: 'number' } } },
          run: (input) => {
            expectTypeOf(input['a']).toEqualTypeOf<unknown>();
            return { structuredContent: { a: 1 } };
          },
        },
        none: { description: 'Without input.', run: () => [{ type: 'text', text: 'x' }] },
      },
    });
  });

  test('is a server of a session', () => {
    const servers = [
      toolServer({ name: 'a', tools: {} }),
      mcpServer({ name: 'b', create: () => ({ connect: async () => {}, close: async () => {} }) }),
      { name: 'c', command: '/bin/c' },
    ];
    expectTypeOf(servers).toExtend<NonNullable<NewSessionParams['mcpServers']>>();
  });

  test('refuses results that MCP does not have', () => {
    // @ts-expect-error: a number is not a result.
    toolServer({ name: 'a', tools: { x: { description: 'x', run: () => 5 } } });
  });
});

describe('a scripted agent', () => {
  test('answers with a result, with null, or with a function, and sends what the schemas describe', () => {
    const agent = scriptedAgent();
    agent.on('initialize', { protocolVersion: 1 }).on('session/load', null);
    agent.on('session/prompt', (params, self) => {
      expectTypeOf(self).toEqualTypeOf(agent);
      return params['wait'] ? noAnswer : { stopReason: 'end_turn' };
    });
    // @ts-expect-error A result of the protocol is an object or null.
    agent.on('session/list', 7);
    expectTypeOf<InitializeResponse>().toExtend<Answer>();
    expectTypeOf<RequestPermissionRequest>().toExtend<Parameters<ScriptedAgent['request']>[1]>();
  });

  test('validates for a known dialect only', () => {
    scriptedAgent({ validate: 'v2-baseline' });
    // @ts-expect-error The dialect does not exist.
    scriptedAgent({ validate: 'v3' });
  });
});

declare const editor: typeof vscode;
declare const context: vscode.ExtensionContext;
declare const webview: vscode.Webview;

test('the module of VS Code and its objects are taken without a cast', () => {
  expectTypeOf<typeof vscode>().toExtend<VsCode>();
  expectTypeOf<vscode.ExtensionContext>().toExtend<VsCodeContext>();
});

test('its parts fit those of the other entries', () => {
  const { cwd } = workspaceSession(editor);
  const clientInfo = { name: 'my-editor', version: '1.0.0' };
  const terminals = workspaceTerminals(editor, nodeTerminals({ cwd }));
  const handlers = { ...nodeFileSystem(workspaceBuffers(editor)), terminals };
  const agent = () => spawnAgent({ command: 'some-agent', cwd });
  void connect(agent, { clientInfo, handlers });
  void connect(agent, { clientInfo, handlers: workspaceFiles(editor) });
});

test('the parts of a panel fit together', () => {
  const command = { command: 'some-agent' };
  const clientInfo = { name: 'my-editor', version: '1.0.0' };
  servePanel(
    {
      agent: () => spawnAgent(command),
      connect: { clientInfo },
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
    agent: () => spawnAgent(command),
    connect: () => ({ clientInfo }),
    terminalLogin: (method) => terminalLoginCommand(command, method),
  });
  context.subscriptions.push(view);
});
