import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { readArguments } from '../../../src/programs/cli/arguments.ts';
import { commandHelp, helpText } from '../../../src/programs/cli/help.ts';
import { commandNames, commands, type Invocation, optionNames } from '../../../src/programs/cli/options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { run, runHere } from './command-line.ts';

const here = resolve('/here');

function read(...argv: readonly string[]): Invocation {
  const request = readArguments(argv, here);
  if ('show' in request) throw new Error(`It shows the ${request.show}.`);
  return request.run;
}

test('each option has a default', () => {
  expect(read('inspect')).toEqual({
    command: 'inspect',
    argument: '',
    agent: undefined,
    format: 'text',
    protocolVersion: undefined,
    traceFile: undefined,
    timeoutMs: undefined,
    isVerbose: false,
    opensSession: false,
    cwd: undefined,
    settleMs: 300,
    permit: 'ask',
    allowEdits: [],
    summaryFile: undefined,
    sessionId: undefined,
    settings: [],
    files: [],
    images: [],
    mcpFiles: [],
    headers: [],
    tokenVariable: undefined,
    sharesFiles: false,
    keepsTranscript: false,
    transcriptFolder: undefined,
    pruned: {},
    action: undefined,
  });
});

test.each([
  { argv: [], action: 'list', argument: '' },
  { argv: ['list', '--cwd', '.'], action: 'list', argument: '' },
  { argv: ['search', 'leap', 'year'], action: 'search', argument: 'leap year' },
  { argv: ['print', 'a b', '--format', 'html'], action: 'print', argument: 'a b' },
  { argv: ['remove', 'a'], action: 'remove', argument: 'a' },
])('history $argv is the action $action with "$argument"', ({ argv, action, argument }) => {
  expect(read('history', ...argv)).toMatchObject({ command: 'history', action, argument });
});

test('options come before or after the argument, and the agent command has its own options', () => {
  const words = [
    'prompt',
    '--json',
    'say --json',
    '--permit=allow',
    '--protocol',
    '2',
    '--trace',
    'a/t',
    '--cwd',
    '.',
  ];
  expect(read(...words, '--', 'agent', '--json', '--', 'x')).toMatchObject({
    argument: 'say --json',
    format: 'json',
    permit: 'allow',
    protocolVersion: 2,
    traceFile: join(here, 'a/t'),
    cwd: here,
    agent: { command: 'agent', args: ['--json', '--', 'x'] },
  });
});

test('--registry names the registry of --agent and of agents, as it was written', () => {
  expect(read('inspect', '--agent', 'a')).toMatchObject({ agent: { name: 'a' }, registry: undefined });
  expect(read('inspect', '--agent', 'a', '--registry', 'r.json')).toMatchObject({
    agent: { name: 'a' },
    registry: 'r.json',
  });
  expect(read('agents', '--registry', 'https://example.com/r.json')).toMatchObject({
    agent: undefined,
    registry: 'https://example.com/r.json',
  });
});

test('a URL after -- is an agent on another machine, with headers and paths of its own', () => {
  const words = ['--header', 'X-Tenant: a:b ', '--header', 'y:', '--token-env', 'TOKEN', '--cwd', 'C:\\work'];
  expect(read('prompt', 'x', ...words, '--', 'HTTPS://a.b/acp')).toMatchObject({
    agent: { url: 'HTTPS://a.b/acp' },
    headers: [
      ['X-Tenant', 'a:b'],
      ['y', ''],
    ],
    tokenVariable: 'TOKEN',
    cwd: 'C:\\work',
    sharesFiles: false,
  });
  expect(read('chat', '--share-files', '--', 'wss://a.b/acp')).toMatchObject({ sharesFiles: true });
});

test('options that can be repeated keep their order', () => {
  const words = ['--set', 'mode=auto', '--set', 'x=a=b', '--file', 'a', '--file', '/b', '--image', 'c.png'];
  expect(read('prompt', 'x', ...words)).toMatchObject({
    settings: [
      { settingId: 'mode', value: 'auto' },
      { settingId: 'x', value: 'a=b' },
    ],
    files: [join(here, 'a'), resolve('/b')],
    images: [join(here, 'c.png')],
  });
});

test.each([
  { argv: ['--help'], request: { show: 'help' } },
  { argv: ['help'], request: { show: 'help' } },
  { argv: ['help', 'chat'], request: { show: 'help', command: 'chat' } },
  { argv: ['chat', '-h'], request: { show: 'help', command: 'chat' } },
  { argv: ['-v'], request: { show: 'version' } },
])('$argv asks for $request', ({ argv, request }) => {
  expect(readArguments(argv, here)).toEqual(request);
});

test.each(commandNames)('help %s describes its argument and its options in 80 columns', async (name) => {
  const { code, stdout } = await runHere(['help', name]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: commandHelp(name) });
  const [, list = ''] = /^Options$(.*)^Examples$/ms.exec(stdout) ?? [];
  const listed = [...list.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, option]) => option);
  expect(listed).toEqual(commands[name].options);
  expect(stdout).toContain(commands[name].argument?.name ?? 'Usage: npx acp-client-sdk');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.each([
  [
    ['--json'],
    /Name a command: inspect, sessions, transcript, prompt, chat, history, fold, agents, doctor, help/,
  ],
  [['isnpect'], /no command isnpect\. Did you mean inspect\?/],
  [['frobnicate'], /no command frobnicate\. Use one of inspect/],
  [['inspect', '--jsn'], /no option --jsn\. Did you mean --json\?/],
  [['inspect', '--nonsense'], /no option --nonsense\. Use one of --json/],
  [['inspect', '-x'], /no option -x/],
  [['inspect', '--trace'], /--trace/],
  [['inspect', '--json=yes'], /--json/],
  [['inspect', 'extra'], /inspect takes no argument, and got "extra"/],
  [['inspect', 's1.jsonl'], /A recording or a transcript needs --web\. Without a browser, .*"history print"/],
  [['transcript'], /transcript needs <sessionId>/],
  [['prompt'], /prompt needs <text>/],
  [['prompt', ' '], /prompt needs <text>/],
  [['prompt', 'fix', 'it'], /"it".*quotes/],
  [['fold'], /fold needs <traffic\.ndjson>/],
  [
    ['prompt', 'x', '--allow-edits', 'src', '--', 'https://example.com/acp'],
    /--allow-edits .* needs --share-files/,
  ],
  [['chat', '--summary', 'x'], /chat has no option --summary: it is for prompt/],
  [['inspect', '--permit', 'allow'], /inspect has no option --permit: it is for prompt/],
  [['prompt', 'x', '--permit', 'maybe'], /--permit must be one of ask, allow, reject; got "maybe"/],
  [['inspect', '--protocol', '3'], /--protocol must be one of 1, 2; got "3"/],
  [
    ['prompt', 'x', '--format', 'pdf'],
    /--format must be one of text, markdown, html, json, jsonl, answer; got "pdf"/,
  ],
  [['inspect', '--format', 'html'], /inspect prints text or json, not html/],
  [['prompt', 'x', '--json', '--format', 'html'], /--json and --format html exclude each other/],
  [['inspect', '--timeout', '0'], /--timeout must be a whole number of milliseconds from 1 to \d+; got "0"/],
  [['inspect', '--timeout', '1.5'], /--timeout must be .+; got "1\.5"/],
  [['inspect', '--timeout', '-1'], /--timeout/],
  [['inspect', '--timeout', '9999999999'], /--timeout must be .+; got "9999999999"/],
  [
    ['transcript', 's', '--settle', 'soon'],
    /--settle must be a whole number of milliseconds from 0 to \d+; got "soon"/,
  ],
  [
    ['inspect', '--timeout', 'x', '--protocol', '3'],
    /--protocol must be one of 1, 2; got "3"; --timeout must be .+; got "x"/,
  ],
  [['fold', 'f', '--', 'agent'], /fold runs no agent/],
  [['fold', 'f', '--verbose'], /fold has no option --verbose: it is for inspect/],
  [['inspect', '--'], /missing after --/],
  [['agents', '--agent', 'a'], /agents has no option --agent/],
  [['agents', '--', 'a'], /agents runs no agent/],
  [['agents', '--format', 'html'], /agents prints text or json, not html/],
  [['agents', 'gemini'], /agents takes no argument/],
  [['inspect', '--registry', 'r.json'], /--registry needs --agent NAME/],
  [['inspect', '--agent', 'a', '--registry', 'r.json', '--', 'b'], /--agent and a command after -- exclude/],
  [['fold', 'f', '--agent', 'a'], /fold has no option --agent/],
  [['inspect', '--cwd', '.'], /--cwd needs --open or --session/],
  [['chat', 'hello'], /chat takes no argument, and got "hello"/],
  [['chat', '--file', 'a'], /chat has no option --file: it is for prompt/],
  [['prompt', 'x', '--set', 'model'], /--set must be the id of a setting, = and a value.+; got "model"/],
  [['prompt', 'x', '--set', '=small'], /--set must be .+; got "=small"/],
  [['inspect', '--header', 'A: b'], /--header is for an agent at a URL/],
  [['inspect', '--token-env', 'T', '--', 'agent'], /--token-env is for an agent at a URL/],
  [['prompt', 'x', '--share-files', '--agent', 'a'], /--share-files is for an agent at a URL/],
  [
    ['inspect', '--header', 'secret', '--', 'https://a.b/acp'],
    /--header must be a name, a colon and a value\.$/m,
  ],
  [['inspect', '--', 'https://a.b/acp', '--acp'], /URL after -- is the whole agent/],
  [['sessions', '--cwd', 'here', '--', 'https://a.b/acp'], /--cwd must be an absolute path on the machine/],
  [['sessions', '--share-files', '--', 'https://a.b/acp'], /sessions has no option --share-files/],
  [['history', 'serach', 'x'], /no action serach\. Did you mean search\?/],
  [['history', 'export', 'x'], /no action export\. Use one of list, search, print, remove/],
  [['history', 'search'], /history search needs <words…>/],
  [['history', 'print'], /history print needs <id>/],
  [['history', 'prune'], /history prune needs at least one of --older-than, --max-size, --keep-last\./],
  [['history', 'prune', '--older-than', '1w'], /--older-than must be a whole number of days .+; got "1w"/],
  [['history', '--keep-last', '1'], /history list has no option --keep-last: it is for history prune/],
  [['history', 'print', 'a', 'b'], /history print takes one argument, and got "b"/],
  [['history', 'list', 'a'], /history list takes no argument, and got "a"/],
  [['history', 'search', 'a', '--format', 'html'], /history search prints text or json or jsonl, not html/],
  [['history', 'print', 'a', '--format', 'jsonl'], /history print prints .+, not jsonl/],
  [['history', '--', 'agent'], /history runs no agent/],
  [['history', '--keep'], /history has no option --keep: it is for prompt, chat/],
  [['chat', '--directory', 'd'], /--directory needs --keep/],
  [['help', 'promt'], /no command promt\. Did you mean prompt\?/],
  [['help', 'prompt', 'chat'], /help takes one argument, and got "chat"/],
])('%j is refused', (argv, says) => {
  expect(() => read(...argv)).toThrow(says);
});

test('wrong usage exits with 2 and prints the usage to stderr', async () => {
  const { code, stdout, stderr } = await runHere(['isnpect']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Did you mean inspect?');
  expect(stderr).toContain('npx acp-client-sdk <command> [options] [-- <agent command or URL> [args…]]');
});

test.each([
  {
    argv: ['prompt'],
    usage: 'Usage: npx acp-client-sdk prompt <text> [options] [-- <agent command or URL> [args…]]',
  },
  { argv: ['fold', 'f', '--nonsense'], usage: 'Usage: npx acp-client-sdk fold <traffic.ndjson> [options]' },
  {
    argv: ['--json'],
    usage: 'Usage: npx acp-client-sdk <command> [options] [-- <agent command or URL> [args…]]',
  },
])('what is wrong in $argv ends with the usage of its command', ({ argv, usage }) => {
  expect(() => read(...argv)).toThrow(usage);
});

test('an empty command line prints the help', async () => {
  expect(await run([])).toEqual({ code: 0, stdout: helpText(), stderr: '' });
});

test('a file that cannot be read or written exits with 2 before an agent is started', async () => {
  const missing = join(temporaryFolder(), 'missing', 'file');
  for (const args of [
    ['fold', missing],
    ['inspect', '--trace', missing, '--', 'no-such-program'],
  ]) {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(missing);
  }
});

test('--help describes each command and each option in 80 columns', async () => {
  const { code, stdout } = await runHere(['--help']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: helpText() });
  for (const name of commandNames) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  for (const name of optionNames) expect(stdout).toContain(`--${name}`);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('--version prints the version of the package, and the schemas that it was checked against', async () => {
  const { version, devDependencies } = packageJson;
  const sdk = devDependencies['@agentclientprotocol/sdk'].replace('^', '');
  expect(await runHere(['--version'])).toEqual({
    code: 0,
    stdout: `${version}\nChecked against the schemas in @agentclientprotocol/sdk: version 1 of ${sdk}, version 2 of ${sdk}.\n`,
    stderr: '',
  });
});
