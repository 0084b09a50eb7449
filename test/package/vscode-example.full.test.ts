import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectPanel } from '../../src/entries/panel.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
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

test('the example compiles against the package and the API of VS Code', () => compileProject(folder));

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
  expect(views.agentPanel[0].type).toBe('webview');
  for (const name of [
    ...commands.map(({ command }: { readonly command: string }) => command),
    ...Object.keys(configuration.properties),
  ]) {
    expect(source).toContain(`'${name.replace(/^agentPanel\.(?=command|reviewWrites)/, '')}'`);
  }
});

test('what VS Code loads at the start has less than 700 kB: the packages of the tools are in another file', async () => {
  const { size } = await stat(join(folder, 'dist/extension.js'));
  expect(size).toBeLessThan(700_000);
  const packages = await import(join(folder, 'dist/mcp.js'));
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
  get lastText(): string {
    const entry = this.state.conversation?.entries.at(-1);
    return entry?.kind === 'message'
      ? entry.content.map((block) => ('text' in block ? block.text : '')).join('')
      : '';
  }
}

/** The extension in a new workspace, with its view. Both end with the test. */
async function openPanel(command: readonly string[], options: object = {}) {
  const workspaceFolder = temporaryFolder();
  const editor = startExtension(folder, { workspaceFolder, command, ...options });
  const view = new TestView();
  editor.showView(view);
  onTestFinished(async () => {
    view.panel.close();
    await editor.stop();
  });
  return { workspaceFolder, editor, view, phase: () => view.state.phase };
}

test('the user chooses an agent, and the setting starts another one when it changes', async () => {
  const { editor, view, phase } = await openPanel([]);
  await eventually(() => view.state.agents.map(({ id }) => id)).toContain('demo');
  await view.panel.chooseAgent('demo');
  expect(view.state).toMatchObject({ phase: 'open', agent: { name: 'acp-demo-agent' } });
  editor.command('agentPanel.chooseAgent');
  await eventually(phase).toBe('closed');
  editor.configure(['/no/such/agent']);
  await eventually(() => view.state.problem?.message).toContain('/no/such/agent');
  editor.configure([process.execPath, join(folder, 'dist/demo-agent.mjs')]);
  await eventually(phase).toBe('open');
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
  const command = [process.execPath, '--input-type=module', '--eval', writingAgent];
  const { editor, workspaceFolder, view, phase } = await openPanel(command, options);
  const file = join(workspaceFolder, 'notes.txt');
  await writeFile(file, 'user');
  await eventually(phase).toBe('open');
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
});
