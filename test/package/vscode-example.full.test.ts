import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { connectPanel } from '../../src/entries/panel.ts';
import { eventually } from '../support/eventually.ts';
import {
  buildExample,
  installExample,
  removeExample,
  startExtension,
  type View,
} from '../support/vscode-example.ts';
import { compileProject } from './compiler.ts';

let folder: string;
beforeAll(async () => {
  folder = await installExample();
  await buildExample(folder);
});
afterAll(() => removeExample(folder));

test.each(['.', 'webview'])(
  'the example compiles against the package and the API of VS Code: %s',
  (project) => compileProject(join(folder, project)),
);

test('the manifest names the files that the build makes, and what the code registers', async () => {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const source = await readFile(join(folder, 'src/extension.ts'), 'utf8');
  // What `vsce package` asks for.
  await readFile(join(folder, 'LICENSE'));
  expect(manifest.repository.url).toMatch(/^https:/);
  expect(await readFile(join(folder, 'README.md'), 'utf8')).not.toMatch(/\]\((?!https:)/);
  await readFile(join(folder, manifest.main));
  const { views, viewsContainers, commands, configuration } = manifest.contributes;
  await readFile(join(folder, viewsContainers.activitybar[0].icon));
  for (const name of [
    views.agentPanel[0].id,
    ...commands.map(({ command }: { readonly command: string }) => command),
    ...Object.keys(configuration.properties),
  ]) {
    expect(source).toContain(`'${name.replace(/^agentPanel\.(?=command|reviewWrites)/, '')}'`);
  }
});

test('what VS Code loads at the start has less than 700 kB: the packages of the tools are in another file', async () => {
  const { size } = await stat(join(folder, 'dist/extension.cjs'));
  expect(size).toBeLessThan(700_000);
  const packages = await import(join(folder, 'dist/mcp.cjs'));
  for (const name of ['McpServer', 'fromJsonSchema', 'parseJSONRPCMessage', 'serveStdio']) {
    expect(packages[name], name).toBeTypeOf('function');
  }
});

/** A webview without a page: the page's end of the panel. */
class TestView implements View {
  readonly cspSource = 'vscode-resource:';
  html = '';
  send?: (message: unknown) => void;
  #receive: (message: unknown) => void = () => {};
  readonly panel = connectPanel({
    post: (message) => this.send?.(message),
    listen: (listener) => {
      this.#receive = listener;
      return () => {
        this.#receive = () => {};
      };
    },
  });

  asUrl(path: string): string {
    return `vscode-resource:${path}`;
  }
  setHtml(html: string): void {
    this.html = html;
  }
  receive(message: unknown): void {
    this.#receive(message);
  }
  get state() {
    return this.panel.getSnapshot();
  }
  get conversation(): Conversation | null {
    return this.state.conversation;
  }
  get lastText(): string {
    const entry = this.conversation?.entries.at(-1);
    return entry?.kind === 'message'
      ? entry.content.map((block) => ('text' in block ? block.text : '')).join('')
      : '';
  }
}

/** Starts what the test does not wait for. */
const begin = (action: Promise<unknown>) => void action.catch(() => {});

/** An agent, as the path of a program with its arguments, or the text of a program. */
type Agent = readonly string[] | string;

/** The extension in a new workspace, with its view. Both end with the test. */
async function openPanel(agentIn?: (workspaceFolder: string) => Agent, options: object = {}) {
  const workspaceFolder = await realpath(await mkdtemp(join(tmpdir(), 'acp-workspace-')));
  const agent = agentIn?.(workspaceFolder) ?? [];
  const program = join(workspaceFolder, 'agent.mjs');
  if (typeof agent === 'string') await writeFile(program, agent);
  const command = typeof agent === 'string' ? [process.execPath, program] : agent;
  let editor = startExtension(folder, { workspaceFolder, command, ...options });
  let view = new TestView();
  const showAgain = () => {
    view.panel.close();
    view = new TestView();
    editor.showView(view);
  };
  editor.showView(view);
  onTestFinished(async () => {
    view.panel.close();
    await editor.stop();
    await rm(workspaceFolder, { recursive: true, force: true });
  });
  return {
    workspaceFolder,
    command,
    editor: () => editor,
    view: () => view,
    phase: () => view.state.phase,
    problem: () => view.state.problem?.message ?? null,
    activity: () => view.conversation?.activity.state,
    showAgain,
    /** Starts the extension host again, with what the extension keeps. */
    async restartHost() {
      await editor.stop();
      editor = startExtension(folder, { workspaceFolder, command, memory: editor.memory });
      showAgain();
    },
  };
}

describe.each(['v1', 'v2-baseline'])('the extension, with the demo agent that speaks %s', (dialect) => {
  const openDemo = async () => {
    const program = join(folder, 'dist/demo-agent.mjs');
    const opened = await openPanel((workspaceFolder) => {
      const state = join(workspaceFolder, '.sessions');
      return [process.execPath, program, '--dialect', dialect, '--state', state];
    });
    await eventually(opened.phase).toBe('open');
    await eventually(() => opened.view().state.sessions.length).toBeGreaterThanOrEqual(3);
    return opened;
  };

  test('shows an agent that does not start, and starts another one when the setting changes', async () => {
    const { editor, command, view, phase, problem } = await openDemo();
    editor().configure(['/no/such/agent']);
    await eventually(phase).toBe('closed');
    expect(problem()).toContain('/no/such/agent');
    view().panel.dismissProblem();
    await eventually(problem).toBe(null);
    begin(view().panel.restart());
    await eventually(problem).toContain('/no/such/agent');
    editor().configure(command);
    await eventually(phase).toBe('open');
    await eventually(problem).toBe(null);
  });

  test('gives everything to a webview that is opened again in a turn, and the session to a new extension host', async () => {
    const { view, activity, showAgain, restartHost } = await openDemo();
    begin(view().panel.prompt('slow'));
    await eventually(() => view().lastText).toContain('3 🐑');
    showAgain();
    await eventually(() => view().lastText).toContain('5 🐑');
    expect(view().conversation?.entries[0]).toMatchObject({ role: 'user' });
    await view().panel.cancel();
    await eventually(activity).toBe('idle');
    await view().panel.prompt('Good morning.');
    const { sessionId } = view().state;
    await restartHost();
    await eventually(() => view().state.sessionId).toBe(sessionId);
    await eventually(() => view().lastText).toContain('Good morning.');
  });
});

/** An agent of version 1 that writes a file in each turn, and says whether it could. */
const writingAgent = `
import { createInterface } from 'node:readline';
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
let turn;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, error } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === 'session/new') send({ id, result: { sessionId: 's1' } });
  if (method === 'session/prompt') {
    turn = id;
    const path = params.prompt[0].text;
    send({ id: 'write', method: 'fs/write_text_file', params: { sessionId: 's1', path, content: 'agent' } });
  }
  if (id === 'write') {
    const content = { type: 'text', text: error ? error.message : 'written' };
    send({ method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate: 'agent_message_chunk', content } } });
    send({ id: turn, result: { stopReason: 'end_turn' } });
  }
}
`;

test('with reviewWrites, a change is shown, and written only if the user accepts it', async () => {
  const options = { reviewWrites: true, choices: ['Reject', 'Accept'] };
  const { editor, workspaceFolder, view, phase } = await openPanel(() => writingAgent, options);
  const file = join(workspaceFolder, 'notes.txt');
  await writeFile(file, 'user');
  await eventually(phase).toBe('open');
  await view().panel.prompt(file);
  expect(view().lastText).toContain('The user rejected the change');
  expect(await readFile(file, 'utf8')).toBe('user');
  await view().panel.prompt(file);
  expect(view().lastText).toBe('written');
  expect(await readFile(file, 'utf8')).toBe('agent');
  expect(editor().diffs).toEqual(Array(2).fill('notes.txt (proposed by the agent)'));
  expect(editor().picks.map((labels) => labels.length)).toEqual([2, 2]);
  // A path outside of the workspace is not shown.
  await view().panel.prompt('/etc/passwd');
  expect(editor().diffs.length).toBe(2);
});

test('without a setting, the user chooses an agent, such as the demo agent of the extension', async () => {
  const { editor, view, phase } = await openPanel();
  await eventually(() => view().state.agents.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['demo', 'gemini', 'codex-acp']),
  );
  expect(view().state).toMatchObject({ phase: 'closed', problem: null });
  await view().panel.chooseAgent('demo');
  expect(view().state).toMatchObject({ phase: 'open', agent: { name: 'acp-demo-agent' } });
  expect(editor().memory.get('agentPanel.view.session.agent')).toBe('demo');
  editor().command('agentPanel.chooseAgent');
  await eventually(phase).toBe('closed');
});

/** An agent of version 1 that has the client run a command in each turn. */
const commandAgent = `
import { createInterface } from 'node:readline';
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const ask = (id, method, params) => send({ id, method, params: { sessionId: 's1', ...params } });
const content = (terminalId) => [{ type: 'terminal', terminalId }];
let turn;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, result } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === 'session/new') send({ id, result: { sessionId: 's1' } });
  if (method === 'session/prompt') {
    turn = id;
    ask('create', 'terminal/create', { command: process.execPath, args: ['-e', 'console.log("it works")'] });
  }
  if (id === 'create') {
    const { terminalId } = result;
    const update = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Run', content: content(terminalId) };
    send({ method: 'session/update', params: { sessionId: 's1', update } });
    ask('wait', 'terminal/wait_for_exit', { terminalId });
  }
  if (id === 'wait') send({ id: turn, result: { stopReason: 'end_turn' } });
}
`;

test('the output of a command that the extension runs for the agent is in the panel', async () => {
  const { view, phase } = await openPanel(() => commandAgent);
  await eventually(phase).toBe('open');
  await view().panel.prompt('Run it.');
  const shown = () => {
    const { entries = [], terminals = {} } = view().conversation ?? {};
    const [item] = entries.flatMap((entry) => (entry.kind === 'toolCall' ? entry.content : []));
    const terminal = item?.type === 'terminal' ? terminals[item.terminalId] : undefined;
    return { output: terminal?.output, exitCode: terminal?.exitStatus?.exitCode };
  };
  await eventually(shown).toEqual({ output: 'it works\n', exitCode: 0 });
});
