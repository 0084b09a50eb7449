import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { textOf } from '../../../src/conversation/select.ts';
import type { MessageEntry } from '../../../src/model/conversation.ts';
import { protocolSchema } from '../../../src/protocol/published-schema.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, outlineOf, printedConversation, run, runHere, smallAgent } from './command-line.ts';

// With one dialect each command runs as a program.
const dialects = [
  { dialect: 'v1', run, version: 1, loadPath: 'agentCapabilities.loadSession', loadValue: true },
  {
    dialect: 'v2-baseline',
    run: runHere,
    version: 2,
    loadPath: 'capabilities.session',
    loadValue: expect.anything(),
  },
] as const;

beforeAll(buildPackage);

describe.each(dialects)('with an agent of $dialect', ({ dialect, run, version, loadPath, loadValue }) => {
  test('inspect', async () => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const { code, stdout, stderr } = await run(['inspect', '--json', ...agent]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const said = JSON.parse(stdout);
    expect(Object.keys(said)).toEqual([
      'protocolVersion',
      'protocolSchema',
      'dialect',
      'agentInfo',
      'authMethods',
      'features',
    ]);
    expect(said.protocolSchema).toEqual(protocolSchema);
    expect(said).toMatchObject({
      protocolVersion: version,
      dialect,
      agentInfo: { name: 'acp-demo-agent' },
      authMethods: [],
    });
    expect(said.features['session.load']).toEqual({ supported: true, path: loadPath, value: loadValue });
    expect(said.features['session.fork']).toMatchObject({ supported: false, value: null });
    const text = await run(['inspect', ...agent]);
    expect(text.stdout).toContain(`\nProtocol version ${version}\n`);
    expect(text.stdout).toMatch(/^ {2}yes {2}session\.load$/m);
    expect(text.stdout).toMatch(/^ {2}no {3}session\.fork$/m);
    const verbose = await run(['inspect', '--verbose', ...agent]);
    expect(verbose.stdout).toContain(`Protocol version ${version}, dialect ${dialect}`);
    expect(verbose.stdout).toMatch(new RegExp(`^ {2}yes {2}session\\.load +${loadPath}$`, 'm'));
    expect(verbose.stdout).toMatch(/^ {2}no {3}auth\.login +\S*authMethods = \[\]$/m);
  });

  test('sessions', async () => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const { code, stdout, stderr } = await run(['sessions', '--json', ...agent]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ids = JSON.parse(stdout).map(({ sessionId }: { sessionId: string }) => sessionId);
    expect(ids).toContain('example-tea-house');
    const text = await run(['sessions', ...agent]);
    expect(text.stdout).toMatch(/^example-tea-house .*A hole in the welcome sign/m);
    expect(text.stdout.split('\n')).toHaveLength(ids.length + 1);
  });

  test('transcript', async () => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const { code, stdout, stderr } = await run(['transcript', 'example-tea-house', '--json', ...agent]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const conversation = printedConversation(stdout);
    expect(conversation).toMatchObject({ sessionId: 'example-tea-house', activity: { state: 'idle' } });
    expect(outlineOf(conversation)[0]).toMatch(/^user replay: The welcome sign has an empty line/);
    expect(outlineOf(conversation)).toContain('tool completed: Read welcome.txt');
    const text = await run(['transcript', 'example-tea-house', ...agent]);
    expect(text.stdout).toContain('✓ Read welcome.txt');
    expect(text.stdout).not.toContain('\x1b');
  });

  test('prompt', async () => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const cwd = temporaryFolder();
    const args = ['prompt', 'edit the plan', '--permit', 'allow', '--cwd', cwd];
    const { code, stdout, stderr } = await run([...args, '--json', ...agent]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const conversation = printedConversation(stdout);
    expect(conversation.activity).toEqual({ state: 'idle', stopReason: 'end_turn' });
    expect(conversation.plans).toHaveLength(1);
    expect(outlineOf(conversation)).toEqual([
      'user live: edit the plan',
      expect.stringMatching(/^thought live: /),
      'tool completed: Edit NOTES.md',
      'agent live: Thank you. The note stands between the plants and the cat.',
      expect.stringMatching(/^agent live: You wrote: “edit the plan”/),
    ]);
    const text = await run([...args, ...agent]);
    expect(text.stdout).toContain('✓ Edit NOTES.md');
    expect(text.stdout).toContain(join(cwd, 'NOTES.md'));
  });

  test('--trace, and fold of what it wrote', async () => {
    const folder = temporaryFolder();
    const agent = await demoAgent(dialect, folder);
    const trace = join(folder, 'trace.ndjson');
    const commands = [
      ['prompt', 'edit, run and image', '--permit', 'allow'],
      ['prompt', 'edit', '--permit', 'reject'],
      ['transcript', 'example-leap-day'],
    ];
    for (const command of commands) {
      const live = await run([...command, '--json', '--trace', trace, ...agent]);
      const folded = await run(['fold', trace, '--json']);
      expect(folded).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(folded.stdout)).toEqual(JSON.parse(live.stdout));
    }
  });
});

test('without an agent command it runs the demo agent, and --protocol offers one version', async () => {
  const { stdout } = await run(['inspect', '--json', '--protocol', '1']);
  const agentInfo = { name: 'acp-demo-agent' };
  expect(JSON.parse(stdout)).toMatchObject({ protocolVersion: 1, dialect: 'v1', agentInfo });
});

test('FORCE_COLOR turns colors on and off', async () => {
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const args = ['transcript', 'example-tea-house', ...agent];
  expect((await run(args, { env: { FORCE_COLOR: '1' } })).stdout).toContain('\x1b[0;1m');
  expect((await run(args, { env: { FORCE_COLOR: '0' } })).stdout).not.toContain('\x1b');
});

test('sessions prints all pages without control characters, of a --cwd in the current folder', async () => {
  const agent = smallAgent('lists-in-pages');
  const { stdout } = await runHere(['sessions', '--cwd', '/somewhere', ...agent]);
  expect(stdout).toBe([0, 1, 2].map((n) => `page-${n}    Page ${n}  /somewhere\n`).join(''));
  const cwd = temporaryFolder();
  const inner = await runHere(['sessions', '--json', '--cwd', 'inner', ...agent], { cwd });
  expect(JSON.parse(inner.stdout)[0].cwd).toBe(join(cwd, 'inner'));
});

test.each([
  { how: 'replays-late', settle: '1500', shown: 'one, two, three, four' },
  { how: 'replays-very-late', settle: '0', shown: 'one' },
])('transcript --settle $settle waits for a replay that comes after the answer', async (row) => {
  const args = ['transcript', 's', '--json', '--settle', row.settle, ...smallAgent(row.how)];
  const { stdout } = await runHere(args);
  expect(outlineOf(printedConversation(stdout))).toEqual([`agent replay: ${row.shown}`]);
});

test('prompt serves files in the folder of the session only', async () => {
  const [cwd, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const paths = [join(cwd, 'a.txt'), join(elsewhere, 'b.txt')];
  const args = ['prompt', JSON.stringify(paths), '--json', '--cwd', cwd, ...smallAgent('uses-files')];
  const { stdout } = await runHere(args);
  expect(outlineOf(printedConversation(stdout)).at(-1)).toBe(
    `agent live: ${JSON.stringify(['ok', -32602, { content: `to ${paths[0]}` }])}`,
  );
});

test.each(['v1', 'v2-baseline'])(
  'prompt --session continues a session and prints the new turn only, with an agent of %s',
  async (dialect) => {
    const agent = await demoAgent(dialect, temporaryFolder());
    const first = printedConversation((await runHere(['prompt', 'hello', '--json', ...agent])).stdout);
    const { sessionId } = first;
    const { code, stdout } = await runHere(['prompt', 'again', '--session', sessionId, '--json', ...agent]);
    expect(code).toBe(0);
    const second = printedConversation(stdout);
    expect(second.sessionId).toBe(sessionId);
    expect(outlineOf(second)[0]).toBe('user live: again');
    const transcript = await runHere(['transcript', sessionId, ...agent]);
    expect(transcript.stdout).toMatch(/You wrote: “hello”[\s\S]*You wrote: “again”/);
  },
);

test('prompt --set changes settings first, and refuses wrong ones', async () => {
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const args = ['prompt', 'edit', '--cwd', temporaryFolder(), '--json'];
  const { code, stdout, stderr } = await runHere([...args, '--set', 'mode=auto', ...agent]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(outlineOf(printedConversation(stdout))).toContain('tool completed: Edit NOTES.md');
  const wrong = await runHere([...args, '--set', 'mode=fast', ...agent]);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('--set: mode must be one of "ask", "auto"');
  const settings = await runHere([
    'prompt',
    'x',
    '--json',
    '--set',
    'thinking=true',
    ...smallAgent('has-settings'),
  ]);
  expect(printedConversation(settings.stdout).configOptions).toMatchObject([{ currentValue: true }]);
});

const size = { configId: 'size', value: 'large' };
test.each<readonly [args: readonly string[], calls: readonly unknown[]]>([
  [[], [['session/new', null]]],
  [
    ['--set', 'size=large'],
    [
      ['session/options', null],
      ['session/new', [size]],
    ],
  ],
  [
    ['--set', 'size=large', '--session', 's'],
    [
      ['session/options', 's'],
      ['session/load', [size]],
    ],
  ],
  // What the agent did not take, and what it offers in the session only, is changed afterwards.
  [
    ['thinking=true', 'size=large', 'color=blue'].flatMap((each) => ['--set', each]),
    [
      ['session/options', null],
      ['session/new', [{ configId: 'thinking', type: 'boolean', value: true }, size]],
      ['session/set_config_option', 'thinking', true],
      ['session/set_config_option', 'color', 'blue'],
    ],
  ],
])('prompt %j, with an agent that says what a session starts with, opens it so', async (args, calls) => {
  const agent = smallAgent('starts-with-settings');
  const { code, stdout, stderr } = await runHere(['prompt', 'x', '--json', ...args, ...agent]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { entries } = printedConversation(stdout);
  expect(JSON.parse(textOf(entries.at(-1) as MessageEntry))).toEqual(calls);
});

test('prompt - reads stdin', async () => {
  const { code, stdout } = await runHere(['prompt', '-', '--json', ...smallAgent('ordinary')], {
    input: 'two\nlines\n',
  });
  expect(code).toBe(0);
  expect(outlineOf(printedConversation(stdout))[0]).toBe('user live: two\nlines\n');
  const empty = await runHere(['prompt', '-', ...smallAgent('ordinary')], { input: ' \n' });
  expect(empty).toMatchObject({ code: 2, stdout: '' });
  expect(empty.stderr).toContain('stdin, which is empty');
});

test('prompt --file and --image add blocks that the agent accepts', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'a.txt'), 'some text');
  writeFileSync(join(cwd, 'b.bin'), Buffer.from([0, 1, 2]));
  writeFileSync(join(cwd, 'c.PNG'), Buffer.from([137, 80]));
  const files = ['--file', 'a.txt', '--file', 'b.bin'];
  const blocksOf = async (how: string, words: readonly string[]) => {
    const { stdout } = await runHere(['prompt', 'look', '--json', ...words, ...smallAgent(how)], { cwd });
    return JSON.parse(outlineOf(printedConversation(stdout)).at(-1)?.replace('agent live: ', '') ?? '');
  };
  const link = (name: string, size: number) => ({
    type: 'resource_link',
    uri: pathToFileURL(join(cwd, name)).href,
    name,
    size,
  });
  expect(await blocksOf('reads-blocks', [...files, '--image', 'c.PNG'])).toEqual([
    { type: 'text', text: 'look' },
    { type: 'resource', resource: { uri: link('a.txt', 9).uri, text: 'some text' } },
    link('b.bin', 3),
    { type: 'image', mimeType: 'image/png', data: 'iVA=' },
  ]);
  expect(await blocksOf('reads-links', files)).toEqual([
    { type: 'text', text: 'look' },
    link('a.txt', 9),
    link('b.bin', 3),
  ]);
  const refused = await runHere(['prompt', 'x', '--image', 'c.PNG', ...smallAgent('reads-links')], { cwd });
  expect(refused).toMatchObject({ code: 3, stdout: '' });
});

test.each([
  { args: ['--file', 'missing.txt'], says: /--file: .*missing\.txt cannot be read/ },
  { args: ['--image', 'missing.png'], says: /--image: .*missing\.png cannot be read/ },
  { args: ['--image', 'picture.bmp'], says: /--image: .*picture\.bmp does not end in one of \.png/ },
  { args: ['--cwd', 'missing'], says: /--cwd: .*missing is not a directory/ },
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
  const args = ['prompt', 'x', '--json', '--mcp', 'mcp.json', '--trace', trace, ...smallAgent('ordinary')];
  const { code, stderr } = await runHere(args, { cwd });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /The MCP server off is not used\. It is disabled\.\nThe MCP server old is not used\. /,
  );
  const sent =
    readFileSync(trace, 'utf8')
      .split('\n')
      .find((line) => line.includes('"session/new"')) ?? '';
  expect(JSON.parse(sent).msg.params.mcpServers).toEqual([
    { name: 'files', command: process.execPath, args: ['files.js'], env: [] },
  ]);
  const missing = await runHere(['prompt', 'x', '--mcp', 'none.json', '--', 'no-such-program'], { cwd });
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toMatch(/--mcp: the file .*none\.json cannot be read/i);
});

test('inspect --open lists the settings and the commands of a new session, --session those of another', async () => {
  const agent = smallAgent('has-settings');
  const { stdout } = await runHere(['inspect', '--open', ...agent]);
  expect(stdout.slice(stdout.indexOf('Settings'))).toBe(`Settings of the session s
  model=small     Model     tiny, small, medium, large, very-large, larger-than-that
  thinking=false  Thinking  true, false

Commands
  /explain <a file>  Explains what a file is for, and which other files use it
`);
  const { session } = JSON.parse((await runHere(['inspect', '--open', '--json', ...agent])).stdout);
  expect(session).toMatchObject({
    sessionId: 's',
    settings: [{ settingId: 'model', value: 'small' }, { settingId: 'thinking' }],
    commands: [{ name: 'explain' }],
  });
  const demo = await demoAgent('v1', temporaryFolder());
  const other = await runHere(['inspect', '--session', 'example-tea-house', ...demo]);
  expect(other.stdout).toMatch(
    /Settings of the session example-tea-house\n {2}mode=ask .*\n\nCommands\n {2}\/plan/,
  );
});

test.each([
  { how: 'asks-once-or-always', permit: 'allow', chosen: 'allow_once', noted: '' },
  { how: 'asks-once-or-always', permit: 'ask', chosen: 'reject_once', noted: 'no terminal' },
  { how: 'asks-always', permit: 'reject', chosen: 'reject_always', noted: '' },
  { how: 'asks-ambiguously', permit: 'allow', chosen: undefined, noted: 'allow_once' },
  { how: 'asks-oddly', permit: 'allow', chosen: undefined, noted: 'no option' },
])('an agent that $how is answered as --permit $permit says', async ({ how, permit, chosen, noted }) => {
  const { code, stdout, stderr } = await runHere([
    'prompt',
    'x',
    '--json',
    '--permit',
    permit,
    ...smallAgent(how),
  ]);
  const isAllowed = permit === 'allow' && chosen !== undefined;
  expect(code).toBe(isAllowed ? 0 : 6);
  const outcome = chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen };
  expect(outlineOf(printedConversation(stdout)).at(-1)).toBe(`agent live: ${JSON.stringify(outcome)}`);
  expect(stderr).toContain(noted);
  expect(stderr.includes('A permission was refused: ')).toBe(!isAllowed);
  expect(stderr === '').toBe(isAllowed);
});
