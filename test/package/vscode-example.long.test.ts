import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectPanel } from '../../src/entries/panel.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import { eventually } from '../support/eventually.ts';
import {
  buildExample,
  type Editor,
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

test('activate has at most 25 lines, and the file that connects the page at most 80', async () => {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const [, body = ''] = (await read('src/extension.ts')).split(/^export function activate.*$/m);
  expect(body.slice(0, body.indexOf('\n}')).trim().split('\n').length).toBeLessThanOrEqual(25);
  expect((await read('webview/main.tsx')).trim().split('\n').length).toBeLessThanOrEqual(80);
});

/** A webview without a page: the page's end of the panel. */
class TestView implements View {
  readonly cspSource = 'vscode-resource:';
  html = '';
  /** The messages to lose. */
  lose = 0;
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
    if (this.lose > 0) this.lose--;
    else this.#receive(message);
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

describe.each(['v1', 'v2-baseline'])('the extension, with the demo agent that speaks %s', (dialect) => {
  let workspaceFolder: string;
  let editor: Editor;
  let view: TestView;
  const command = () => {
    const program = join(folder, 'dist/demo-agent.mjs');
    return [process.execPath, program, '--dialect', dialect, '--state', join(workspaceFolder, '.sessions')];
  };
  const openView = () => {
    view?.panel.close();
    view = new TestView();
    editor.showView(view);
  };
  const phase = () => view.state.phase;
  const problem = () => view.state.problem?.message ?? null;
  const activity = () => view.conversation?.activity.state;

  beforeEach(async () => {
    workspaceFolder = await mkdtemp(join(tmpdir(), 'acp-workspace-'));
    editor = startExtension(folder, { workspaceFolder, command: command() });
    openView();
    await eventually(phase).toBe('open');
    await eventually(() => view.state.sessions.length).toBeGreaterThanOrEqual(3);
  });
  afterEach(async () => {
    view.panel.close();
    await editor.stop();
    await rm(workspaceFolder, { recursive: true, force: true });
  });

  test('gives the webview a page whose policy allows its own files only', () => {
    const nonce = /script-src 'nonce-([^']+)'/.exec(view.html)?.[1];
    expect(nonce).toBeDefined();
    expect(view.html).toContain(`<script nonce="${nonce}" src="vscode-resource:/dist/webview.js">`);
    expect(view.html).toContain("default-src 'none'");
    expect(view.html).not.toMatch(/unsafe|https?:/);
    openView();
    expect(view.html).not.toContain(nonce);
  });

  test('writes no warning to the log when the agent starts', () => {
    expect(editor.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  test('loads a session with its history, and reports the progress', async () => {
    await view.panel.openSession('example-leap-day');
    expect(view.state.sessionId).toBe('example-leap-day');
    await eventually(() => view.conversation?.info.title).toBe('The day that never was');
    await eventually(() => view.conversation?.entries.length).toBeGreaterThan(3);
    expect(view.state.loading).toBe(null);
  });

  test('streams a turn to the page, and names the session', async () => {
    await view.panel.prompt('Good morning.');
    expect(view.lastText).toContain('Good morning.');
    await eventually(activity).toBe('idle');
    await eventually(() => view.state.sessions[0]?.title).toBe('Good morning.');
    expect(view.state.problem).toBe(null);
  });

  test('asks for a permission in the panel, and sends the chosen option', async () => {
    begin(view.panel.prompt('edit a note'));
    await eventually(() => view.state.questions.length).toBe(1);
    const [question] = view.state.questions;
    if (question?.kind !== 'permission') throw new Error('The question is not a permission.');
    const reject = question.options.find(({ kind }) => kind === 'reject_once');
    if (!reject) throw new Error('The agent offers no option that rejects.');
    await view.panel.answer(question.id, { optionId: reject.optionId });
    await eventually(activity).toBe('idle');
    expect(view.state.questions).toEqual([]);
    const call = view.conversation?.entries.find((entry) => entry.kind === 'toolCall');
    expect(call?.status).not.toBe('completed');
  });

  test('returns the text of a prompt that the agent refuses', async () => {
    view.panel.setDraft('an error, please');
    await expect(view.panel.prompt('an error, please')).rejects.toThrow('so here is one');
    // An agent of version 1 does not report whether it accepted the prompt: it stays in the conversation, which says how
    // the turn failed.
    const said = () => (dialect === 'v1' ? JSON.stringify(view.conversation?.entries.at(-1)) : problem());
    await eventually(said).toContain('so here is one');
    await eventually(() => view.state.draft).toBe(dialect === 'v1' ? '' : 'an error, please');
  });

  test('cancels a turn, and withdraws its question', async () => {
    begin(view.panel.prompt('edit a note'));
    await eventually(() => view.state.questions.length).toBe(1);
    await view.panel.cancel();
    await eventually(() => view.conversation?.activity.stopReason).toBe('cancelled');
    await eventually(() => view.state.questions).toEqual([]);
    // The user can press the button again.
    await view.panel.cancel();
    expect(view.state.problem).toBe(null);
  });

  test('takes messages while a turn runs, and takes one back', async () => {
    begin(view.panel.prompt('slow'));
    await eventually(() => view.lastText).toContain('3 🐑');
    begin(view.panel.steer('Count goats.'));
    begin(view.panel.queue('Then stop.'));
    await eventually(() => view.conversation?.pendingMessages?.map(({ kind }) => kind)).toContain('queue');
    const waiting = view.conversation?.pendingMessages?.find(({ kind }) => kind === 'queue');
    await view.panel.revoke(waiting?.id ?? '');
    await eventually(() => view.conversation?.pendingMessages ?? []).toEqual([]);
    await eventually(() => JSON.stringify(view.conversation?.entries)).toContain('while I was at work');
    await view.panel.cancel();
    await eventually(activity).toBe('idle');
  });

  test('changes a setting', async () => {
    await view.panel.newSession();
    await eventually(() => view.state.settings.length).toBeGreaterThan(0);
    const setting = view.state.settings.find(({ choices }) => choices && choices.length > 1);
    const other = setting?.choices?.find(({ value }) => value !== setting.value);
    if (!setting || !other) throw new Error('The agent has no setting with a choice.');
    await view.panel.changeSetting(setting.settingId, other.value);
    const value = () => view.state.settings.find(({ settingId }) => settingId === setting.settingId)?.value;
    await eventually(value).toBe(other.value);
  });

  test('starts the agent again after a crash, and continues the session', async () => {
    begin(view.panel.prompt('crash'));
    await eventually(problem).toContain('exited with code 1');
    await eventually(phase).toBe('open');
    await view.panel.prompt('Still there?');
    expect(view.lastText).toContain('Still there?');
    // The crash is not the problem of the new prompt.
    expect(view.state.problem).toBe(null);
    expect(view.conversation?.entries.some(({ kind }) => kind === 'turnFailure')).toBe(true);
    // The prompt is still in the conversation.
    expect(view.state.draft).toBe('');
  });

  test('shows an agent that does not start, and starts another one when the setting changes', async () => {
    editor.configure(['/no/such/agent']);
    await eventually(phase).toBe('closed');
    expect(problem()).toContain('/no/such/agent');
    view.panel.dismissProblem();
    await eventually(problem).toBe(null);
    begin(view.panel.restart());
    await eventually(problem).toContain('/no/such/agent');
    editor.configure(command());
    await eventually(phase).toBe('open');
    await eventually(problem).toBe(null);
  });

  test('gives everything to a webview that is opened again, in the middle of a turn', async () => {
    begin(view.panel.prompt('slow'));
    await eventually(() => view.lastText).toContain('3 🐑');
    openView();
    await eventually(() => view.lastText).toContain('5 🐑');
    expect(view.conversation?.entries[0]).toMatchObject({ role: 'user' });
    await view.panel.cancel();
    await eventually(activity).toBe('idle');
  });

  test('is whole again if the webview lost messages', async () => {
    begin(view.panel.prompt('slow'));
    await eventually(() => view.lastText).toContain('3 🐑');
    view.lose = 5;
    await eventually(() => view.lose).toBe(0);
    await eventually(() => view.lastText).toContain('20 🐑');
    await view.panel.cancel();
    await eventually(activity).toBe('idle');
    const { conversation } = view;
    openView();
    await eventually(() => view.conversation).toEqual(conversation);
  });

  test('opens the session again after the extension host was started again', async () => {
    await view.panel.prompt('Good morning.');
    const { sessionId } = view.state;
    await editor.stop();
    editor = startExtension(folder, { workspaceFolder, command: command(), memory: editor.memory });
    openView();
    await eventually(() => view.state.sessionId).toBe(sessionId);
    await eventually(() => view.lastText).toContain('Good morning.');
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
  const workspaceFolder = await realpath(await mkdtemp(join(tmpdir(), 'acp-workspace-')));
  const program = join(workspaceFolder, 'agent.mjs');
  const file = join(workspaceFolder, 'notes.txt');
  await writeFile(program, writingAgent);
  await writeFile(file, 'user');
  const editor = startExtension(folder, {
    workspaceFolder,
    command: [process.execPath, program],
    reviewWrites: true,
    choices: ['Reject', 'Accept'],
  });
  const view = new TestView();
  editor.showView(view);
  await eventually(() => view.state.phase).toBe('open');
  await view.panel.prompt(file);
  expect(view.lastText).toContain('The user rejected the change');
  expect(await readFile(file, 'utf8')).toBe('user');
  await view.panel.prompt(file);
  expect(view.lastText).toBe('written');
  expect(await readFile(file, 'utf8')).toBe('agent');
  expect(editor.diffs).toEqual(Array(2).fill('notes.txt (proposed by the agent)'));
  expect(editor.picks.map((labels) => labels.length)).toEqual([2, 2]);
  // A path outside of the workspace is not shown.
  await view.panel.prompt('/etc/passwd');
  expect(editor.diffs.length).toBe(2);
  view.panel.close();
  await editor.stop();
  await rm(workspaceFolder, { recursive: true, force: true });
});

test('without a setting, the user chooses an agent, such as the demo agent of the extension', async () => {
  const workspaceFolder = await mkdtemp(join(tmpdir(), 'acp-workspace-'));
  const editor = startExtension(folder, { workspaceFolder });
  const view = new TestView();
  editor.showView(view);
  await eventually(() => view.state.agents.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['demo', 'gemini', 'codex-acp']),
  );
  expect(view.state).toMatchObject({ phase: 'closed', problem: null });
  await view.panel.chooseAgent('demo');
  expect(view.state).toMatchObject({ phase: 'open', agent: { name: 'acp-demo-agent' } });
  expect(editor.memory.get('agentPanel.view.session.agent')).toBe('demo');
  editor.command('agentPanel.chooseAgent');
  await eventually(() => view.state.phase).toBe('closed');
  view.panel.close();
  await editor.stop();
  await rm(workspaceFolder, { recursive: true, force: true });
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
  const workspaceFolder = await mkdtemp(join(tmpdir(), 'acp-workspace-'));
  const program = join(workspaceFolder, 'agent.mjs');
  await writeFile(program, commandAgent);
  const editor = startExtension(folder, { workspaceFolder, command: [process.execPath, program] });
  const view = new TestView();
  editor.showView(view);
  await eventually(() => view.state.phase).toBe('open');
  await view.panel.prompt('Run it.');
  const shown = () => {
    const [item] = (view.conversation?.entries ?? []).flatMap((entry) =>
      entry.kind === 'toolCall' ? entry.content : [],
    );
    const terminal = item?.type === 'terminal' ? view.conversation?.terminals[item.terminalId] : undefined;
    return { output: terminal?.output, exitCode: terminal?.exitStatus?.exitCode };
  };
  await eventually(shown).toEqual({ output: 'it works\n', exitCode: 0 });
  view.panel.close();
  await editor.stop();
  await rm(workspaceFolder, { recursive: true, force: true });
});
