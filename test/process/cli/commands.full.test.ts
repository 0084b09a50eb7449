import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { protocolSchema } from '../../../src/core/protocol/published-schema.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, outlineOf, printedConversation, run, runHere, smallAgent } from './command-line.ts';

beforeAll(buildPackage);

const json = ['--format', 'json'];

test('inspect prints the agent, the versions and each feature, as JSON and as text', async () => {
  // Without an agent command it runs the demo agent.
  const { code, stdout, stderr } = await run(['inspect', ...json, '--protocol', '1']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const said = JSON.parse(stdout);
  expect(said).toEqual({
    protocolVersion: 1,
    protocolSchema,
    dialect: 'v1',
    agentInfo: expect.objectContaining({ name: 'acp-demo-agent' }),
    authMethods: [],
    features: expect.anything(),
  });
  const load = 'agentCapabilities.loadSession';
  expect(said.features['session.load']).toEqual({ supported: true, path: load, value: true });
  expect(said.features['session.fork']).toMatchObject({ supported: false, value: null });
  const text = await run(['inspect', '--protocol', '1']);
  expect(text.stdout).toContain('\nProtocol version 1, dialect v1\n');
  expect(text.stdout).toMatch(new RegExp(`^ {2}yes {2}session\\.load +${load}$`, 'm'));
  expect(text.stdout).toMatch(/^ {2}no {3}session\.fork +\S+$/m);
});

test('sessions and transcript print what the demo agent keeps', async () => {
  const sessions = await run(['sessions', ...json]);
  expect(sessions).toMatchObject({ code: 0, stderr: '' });
  const ids = JSON.parse(sessions.stdout).map(({ sessionId }: { sessionId: string }) => sessionId);
  const listed = await run(['sessions']);
  expect(listed.stdout).toMatch(/^example-tea-house .*A hole in the welcome sign/m);
  expect(listed.stdout.split('\n')).toHaveLength(ids.length + 1);

  const { code, stdout, stderr } = await run(['transcript', 'example-tea-house']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('✓ Read welcome.txt');
  expect(stdout).not.toContain('\x1b');
  const colored = await run(['transcript', 'example-tea-house'], { env: { FORCE_COLOR: '1' } });
  expect(colored.stdout).toContain('\x1b[0;1m');
});

test.each(['v1', 'v2-baseline'])(
  'fold prints what --trace recorded, with an agent of %s',
  async (dialect) => {
    const folder = temporaryFolder();
    const agent = await demoAgent(dialect, folder);
    const trace = join(folder, 'trace.ndjson');
    const commands = [
      ['prompt', 'edit, run and image', '--permit', 'allow'],
      ['prompt', 'edit', '--permit', 'reject'],
      ['transcript', 'example-leap-day'],
    ];
    for (const command of commands) {
      const live = await run([...command, ...json, '--trace', trace, ...agent]);
      const folded = await run(['fold', trace, ...json]);
      expect(folded).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(folded.stdout)).toEqual(JSON.parse(live.stdout));
    }
  },
);

test('sessions prints all pages without control characters, of a --cwd in the current folder', async () => {
  const agent = smallAgent('lists-in-pages');
  const { stdout } = await runHere(['sessions', '--cwd', '/somewhere', ...agent]);
  expect(stdout).toBe([0, 1, 2].map((n) => `page-${n}    Page ${n}  /somewhere\n`).join(''));
  const cwd = temporaryFolder();
  const inner = await runHere(['sessions', ...json, '--cwd', 'inner', ...agent], { cwd });
  expect(JSON.parse(inner.stdout)[0].cwd).toBe(join(cwd, 'inner'));
});

test.each([
  { how: 'replays-late', settle: '1500', shown: 'one, two, three, four' },
  { how: 'replays-very-late', settle: '0', shown: 'one' },
])('transcript --settle $settle waits for a replay that comes after the answer', async (row) => {
  const args = ['transcript', 's', ...json, '--settle', row.settle, ...smallAgent(row.how)];
  const { stdout } = await runHere(args);
  expect(outlineOf(printedConversation(stdout))).toEqual([`agent replay: ${row.shown}`]);
});

test('prompt serves files in the folder of the session only', async () => {
  const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const paths = [join(cwd, 'a.txt'), join(elsewhere, 'b.txt')];
  const args = ['prompt', JSON.stringify(paths), ...json, '--cwd', cwd, ...smallAgent('uses-files')];
  const { stdout } = await runHere(args);
  expect(outlineOf(printedConversation(stdout)).at(-1)).toBe(
    `agent live: ${JSON.stringify(['ok', -32602, { content: `to ${paths[0]}` }])}`,
  );
});

test('prompt --session continues a session and prints the new turn only', async () => {
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const first = printedConversation((await runHere(['prompt', 'hello', ...json, ...agent])).stdout);
  const { sessionId } = first;
  const { code, stdout } = await runHere(['prompt', 'again', '--session', sessionId, ...json, ...agent]);
  expect(code).toBe(0);
  const second = printedConversation(stdout);
  expect(second.sessionId).toBe(sessionId);
  expect(outlineOf(second)[0]).toBe('user live: again');
  const transcript = await runHere(['transcript', sessionId, ...agent]);
  expect(transcript.stdout).toMatch(/You wrote: “hello”[\s\S]*You wrote: “again”/);
});

test('--set changes settings before the turn, and a wrong value exits with 2', async () => {
  const trace = join(temporaryFolder(), 'trace.ndjson');
  const set = (setting: string) =>
    runHere(['prompt', 'x', '--set', setting, '--trace', trace, ...smallAgent('has-settings')]);
  expect(await set('thinking=true')).toMatchObject({ code: 0, stderr: '' });
  const messages = readFileSync(trace, 'utf8').trim().split('\n');
  const sent = messages.map((line) => JSON.parse(line)).filter(({ dir, msg }) => dir === 'out' && msg.method);
  expect(sent.map(({ msg }) => msg).slice(2)).toMatchObject([
    { method: 'session/set_config_option', params: { configId: 'thinking', value: true } },
    { method: 'session/prompt' },
  ]);
  const wrong = await set('thinking=maybe');
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--set: ') });
});

test('prompt - reads stdin', async () => {
  const { stdout } = await runHere(['prompt', '-', ...json, ...smallAgent('ordinary')], {
    input: 'two\nlines\n',
  });
  expect(outlineOf(printedConversation(stdout))[0]).toBe('user live: two\nlines\n');
  const empty = await runHere(['prompt', '-', ...smallAgent('ordinary')], { input: ' \n' });
  expect(empty).toMatchObject({ code: 2, stdout: '' });
  expect(empty.stderr).toContain('stdin, which is empty');
});

test('prompt --file adds texts and images that the agent accepts, and links otherwise', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.txt'), 'some text');
  writeFileSync(join(cwd, 'b.bin'), Buffer.from([0, 1, 2]));
  writeFileSync(join(cwd, 'c.PNG'), Buffer.from([137, 80]));
  const files = ['a.txt', 'b.bin', 'c.PNG'].flatMap((name) => ['--file', name]);
  const blocksOf = async (how: string) => {
    const { stdout } = await runHere(['prompt', 'look', ...json, ...files, ...smallAgent(how)], { cwd });
    return JSON.parse(outlineOf(printedConversation(stdout)).at(-1)?.replace('agent live: ', '') ?? '');
  };
  const link = (name: string, size: number) => ({
    type: 'resource_link',
    uri: pathToFileURL(join(cwd, name)).href,
    name,
    size,
  });
  expect(await blocksOf('reads-blocks')).toEqual([
    { type: 'text', text: 'look' },
    { type: 'resource', resource: { uri: link('a.txt', 9).uri, text: 'some text' } },
    link('b.bin', 3),
    { type: 'image', mimeType: 'image/png', data: 'iVA=' },
  ]);
  expect(await blocksOf('reads-links')).toEqual([
    { type: 'text', text: 'look' },
    link('a.txt', 9),
    link('b.bin', 3),
    link('c.PNG', 2),
  ]);
});

test.each([
  { args: ['--file', 'missing.txt'], says: /--file: .*missing\.txt cannot be read/ },
  { args: ['--cwd', 'missing'], says: /--cwd: .*missing is not a directory/ },
  { args: ['--mcp', 'none.json'], says: /--mcp: the file .*none\.json cannot be read/i },
])('prompt $args exits with 2 before an agent is started', async ({ args, says }) => {
  const { code, stdout, stderr } = await runHere(['prompt', 'x', ...args, '--', 'no-such-program']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(says);
});

test('--mcp passes the servers that the agent supports, and reports the others', async () => {
  const cwd = temporaryFolder();
  const trace = join(cwd, 'trace.ndjson');
  const mcpServers = {
    files: { command: process.execPath, args: ['files.js'] },
    old: { type: 'sse', url: 'https://example.com/sse' },
    off: { command: 'off', disabled: true },
  };
  writeFileSync(join(cwd, 'mcp.json'), JSON.stringify({ mcpServers }));
  const args = ['prompt', 'x', '--mcp', 'mcp.json', '--trace', trace, ...smallAgent('ordinary')];
  const { code, stderr } = await runHere(args, { cwd });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /The MCP server off is not used\. It is disabled\.\nThe MCP server old is not used\. /,
  );
  const lines = readFileSync(trace, 'utf8').split('\n');
  const sent = lines.find((line) => line.includes('"session/new"')) ?? '';
  expect(JSON.parse(sent).msg.params.mcpServers).toEqual([
    { name: 'files', command: process.execPath, args: ['files.js'], env: [] },
  ]);
});

test.each([
  { how: 'asks-once-or-always', permit: 'allow', chosen: 'allow_once', noted: '' },
  { how: 'asks-once-or-always', permit: 'ask', chosen: 'reject_once', noted: 'no terminal' },
  { how: 'asks-always', permit: 'reject', chosen: 'reject_always', noted: '' },
  { how: 'asks-ambiguously', permit: 'allow', chosen: undefined, noted: 'allow_once' },
  { how: 'asks-oddly', permit: 'allow', chosen: undefined, noted: 'no option' },
])('an agent that $how is answered as --permit $permit says', async ({ how, permit, chosen, noted }) => {
  const args = ['prompt', 'x', ...json, '--permit', permit, ...smallAgent(how)];
  const { code, stdout, stderr } = await runHere(args);
  const isAllowed = permit === 'allow' && chosen !== undefined;
  expect(code).toBe(isAllowed ? 0 : 6);
  const outcome = chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen };
  expect(outlineOf(printedConversation(stdout)).at(-1)).toBe(`agent live: ${JSON.stringify(outcome)}`);
  expect(stderr).toContain(noted);
  expect(stderr.includes('A permission was refused: ')).toBe(!isAllowed);
  expect(stderr === '').toBe(isAllowed);
});
