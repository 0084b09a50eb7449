import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HostMessage, PanelState, WebviewMessage } from '../../docs/examples/vscode/src/messages.ts';
import { createConversationMirror } from '../../src/conversation/mirror.ts';
import { settingsOf } from '../../src/conversation/settings.ts';
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
  await readFile(join(folder, manifest.main));
  const { views, viewsContainers, commands, configuration } = manifest.contributes;
  await readFile(join(folder, viewsContainers.activitybar[0].icon));
  for (const name of [
    views.agentPanel[0].id,
    commands[0].command,
    Object.keys(configuration.properties)[0],
  ]) {
    expect(source).toContain(`'${name}'`);
  }
});

/** A webview without a page: the messages of the host, and a mirror of the conversation. */
class TestView implements View {
  readonly cspSource = 'vscode-resource:';
  html = '';
  state: PanelState | undefined;
  refused: string[] = [];
  /** How often the whole conversation arrived. */
  wholes = 0;
  /** The messages to lose. */
  lose = 0;
  #mirror = createConversationMirror('', { requestResend: () => this.post({ type: 'resend' }) });
  #sessionId: string | null = null;
  send?: (message: WebviewMessage) => void;

  asUrl(path: string): string {
    return `vscode-resource:${path}`;
  }
  setHtml(html: string): void {
    this.html = html;
  }
  post(message: WebviewMessage): void {
    this.send?.(message);
  }
  receive(message: HostMessage): void {
    if (message.type === 'promptRefused') this.refused.push(message.text);
    if (message.type === 'state') {
      this.state = message.state;
      const { sessionId } = message.state;
      if (sessionId === this.#sessionId) return;
      this.#sessionId = sessionId;
      this.#mirror = createConversationMirror(sessionId ?? '', {
        requestResend: () => this.post({ type: 'resend' }),
      });
    }
    if (message.type !== 'conversation' || message.sessionId !== this.#sessionId) return;
    if (this.lose > 0) {
      this.lose--;
      return;
    }
    if (message.message.sequence === 0) this.wholes++;
    this.#mirror.receive(message.message);
  }
  get conversation(): Conversation {
    return this.#mirror.getSnapshot();
  }
  get lastText(): string {
    const entry = this.conversation.entries.at(-1);
    return entry?.kind === 'message'
      ? entry.content.map((block) => ('text' in block ? block.text : '')).join('')
      : '';
  }
}

describe.each(['v1', 'v2-baseline'])('the extension, with the demo agent that speaks %s', (dialect) => {
  let workspaceFolder: string;
  let editor: Editor;
  let view: TestView;
  const command = () => {
    const program = join(folder, 'dist/demo-agent.mjs');
    return [process.execPath, program, '--dialect', dialect, '--state', join(workspaceFolder, '.sessions')];
  };
  const openView = () => {
    view = new TestView();
    editor.showView(view);
    view.post({ type: 'ready' });
  };
  const phase = () => view.state?.phase;
  const activity = () => view.conversation.activity.state;

  beforeEach(async () => {
    workspaceFolder = await mkdtemp(join(tmpdir(), 'acp-workspace-'));
    editor = startExtension(folder, { workspaceFolder, command: command() });
    openView();
    await eventually(phase).toBe('open');
    await eventually(() => view.state?.sessions.length).toBeGreaterThanOrEqual(3);
  });
  afterEach(async () => {
    await editor.stop();
    await rm(workspaceFolder, { recursive: true, force: true });
  });

  test('gives the webview a page whose policy allows its own files only', () => {
    const nonce = /script-src 'nonce-([^']+)'/.exec(view.html)?.[1];
    expect(nonce).toBeDefined();
    expect(view.html).toContain(`<script nonce="${nonce}" src="vscode-resource:/dist/webview.js">`);
    expect(view.html).toContain("default-src 'none'");
    expect(view.html).not.toMatch(/unsafe|https?:/);
    const again = new TestView();
    editor.showView(again);
    expect(again.html).not.toContain(nonce);
  });

  test('loads a session with its history, and reports the progress', async () => {
    view.post({ type: 'openSession', sessionId: 'example-leap-day' });
    await eventually(() => view.state?.sessionId).toBe('example-leap-day');
    // The conversation and the state are separate messages, so that one can arrive before the other.
    await eventually(() => view.conversation.info.title).toBe('The day that never was');
    await eventually(() => view.conversation.entries.length).toBeGreaterThan(3);
    await eventually(() => view.state?.loadedUpdates).toBe(null);
  });

  test('streams a turn to the mirror, and names the session', async () => {
    view.post({ type: 'prompt', text: 'Good morning.' });
    await eventually(() => view.lastText).toContain('Good morning.');
    await eventually(activity).toBe('idle');
    await eventually(() => view.state?.sessions[0]?.title).toBe('Good morning.');
    expect(view.state?.problem).toBe(null);
  });

  test('asks for a permission in the panel, and sends the chosen option', async () => {
    view.post({ type: 'prompt', text: 'edit a note' });
    await eventually(() => view.state?.questions.length).toBe(1);
    const question = view.state?.questions[0];
    const reject = question?.options.find(({ kind }) => kind === 'reject_once');
    if (!question || !reject) throw new Error('The agent offers no option that rejects.');
    view.post({ type: 'answer', id: question.id, optionId: reject.optionId });
    await eventually(activity).toBe('idle');
    expect(view.state?.questions).toEqual([]);
    const call = view.conversation.entries.find((entry) => entry.kind === 'toolCall');
    expect(call?.status).not.toBe('completed');
  });

  test('returns the text of a prompt that the agent refuses', async () => {
    view.post({ type: 'prompt', text: 'an error, please' });
    await eventually(() => view.state?.problem).toContain('so here is one');
    // An agent of version 1 does not report whether it accepted the prompt: it stays in the conversation.
    expect(view.refused).toEqual(dialect === 'v1' ? [] : ['an error, please']);
  });

  test('cancels a turn, and withdraws its question', async () => {
    view.post({ type: 'prompt', text: 'edit a note' });
    await eventually(() => view.state?.questions.length).toBe(1);
    view.post({ type: 'cancel' });
    await eventually(() => view.conversation.activity.stopReason).toBe('cancelled');
    await eventually(() => view.state?.questions).toEqual([]);
    // The user can press the button again.
    view.post({ type: 'cancel' });
    await eventually(() => view.state?.problem).toBe(null);
  });

  test('changes a setting', async () => {
    view.post({ type: 'newSession' });
    await eventually(() => settingsOf(view.conversation).length).toBeGreaterThan(0);
    const setting = settingsOf(view.conversation).find(({ choices }) => choices && choices.length > 1);
    const other = setting?.choices?.find(({ value }) => value !== setting.value);
    if (!setting || !other) throw new Error('The agent has no setting with a choice.');
    view.post({ type: 'change', settingId: setting.settingId, value: other.value });
    const value = () =>
      settingsOf(view.conversation).find(({ settingId }) => settingId === setting.settingId)?.value;
    await eventually(value).toBe(other.value);
  });

  test('starts the agent again after a crash, and continues the session', async () => {
    view.post({ type: 'prompt', text: 'crash' });
    await eventually(() => view.state?.problem).toContain('exited with code 1');
    await eventually(phase).toBe('open');
    view.post({ type: 'dismiss' });
    await eventually(() => view.state?.problem).toBe(null);
    view.post({ type: 'prompt', text: 'Still there?' });
    await eventually(() => view.lastText).toContain('Still there?');
    expect(view.conversation.entries.some(({ kind }) => kind === 'turnFailure')).toBe(true);
    // The prompt is still in the conversation.
    expect(view.refused).toEqual([]);
  });

  test('shows an agent that does not start, and starts another one when the setting changes', async () => {
    editor.configure(['/no/such/agent']);
    await eventually(phase).toBe('closed');
    expect(view.state?.problem).toContain('/no/such/agent');
    view.post({ type: 'dismiss' });
    await eventually(() => view.state?.problem).toBe(null);
    view.post({ type: 'connect' });
    await eventually(() => view.state?.problem).toContain('/no/such/agent');
    editor.configure(command());
    await eventually(phase).toBe('open');
    expect(view.state?.problem).toBe(null);
  });

  test('gives everything to a webview that is opened again, in the middle of a turn', async () => {
    view.post({ type: 'prompt', text: 'slow' });
    await eventually(() => view.lastText).toContain('3 🐑');
    openView();
    await eventually(() => view.lastText).toContain('5 🐑');
    expect(view.conversation.entries[0]).toMatchObject({ role: 'user' });
    view.post({ type: 'cancel' });
    await eventually(activity).toBe('idle');
  });

  test('sends the conversation again if the webview lost a message', async () => {
    view.post({ type: 'prompt', text: 'slow' });
    await eventually(() => view.lastText).toContain('3 🐑');
    const wholes = view.wholes;
    view.lose = 1;
    await eventually(() => view.wholes).toBe(wholes + 1);
    view.post({ type: 'cancel' });
    await eventually(activity).toBe('idle');
    const { conversation } = view;
    openView();
    await eventually(() => view.conversation).toEqual(conversation);
  });
});

test('without a setting, the demo agent of the extension runs', async () => {
  const workspaceFolder = await mkdtemp(join(tmpdir(), 'acp-workspace-'));
  const editor = startExtension(folder, { workspaceFolder });
  const view = new TestView();
  editor.showView(view);
  await eventually(() => view.state?.phase).toBe('open');
  await editor.stop();
  expect(view.state?.agentName).not.toBe('Agent');
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
  view.post({ type: 'ready' });
  await eventually(() => view.state?.phase).toBe('open');
  view.post({ type: 'prompt', text: 'Run it.' });
  const shown = () => {
    const [item] = view.conversation.entries.flatMap((entry) =>
      entry.kind === 'toolCall' ? entry.content : [],
    );
    const terminal = item?.type === 'terminal' ? view.conversation.terminals[item.terminalId] : undefined;
    return { output: terminal?.bytes, exitCode: terminal?.exitStatus?.exitCode };
  };
  await eventually(shown).toEqual({ output: 'it works\n', exitCode: 0 });
  await editor.stop();
  await rm(workspaceFolder, { recursive: true, force: true });
});
