import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Invocation, readArguments } from '../../../src/programs/cli/arguments.ts';
import { commandNames, commands } from '../../../src/programs/cli/command-table.ts';
import { helpText } from '../../../src/programs/cli/help.ts';
import { optionNames } from '../../../src/programs/cli/options.ts';
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
    format: 'text',
    settleMs: 300,
    permit: 'ask',
    allowEdits: [],
    settings: [],
    files: [],
    mcpFiles: [],
    headers: [],
    sharesFiles: false,
    keepsTranscript: false,
  });
});

test('options come before or after the argument, and the agent command has its own options', () => {
  const words = ['prompt', '--keep', 'say --keep', '--permit=allow', '--protocol', '2', '--trace', 'a/t'];
  expect(read(...words, '--cwd', '.', '--', 'agent', '--keep', '--', 'x')).toMatchObject({
    argument: 'say --keep',
    permit: 'allow',
    protocolVersion: 2,
    traceFile: join(here, 'a/t'),
    cwd: here,
    agent: { command: 'agent', args: ['--keep', '--', 'x'] },
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

test('options that can be repeated keep their order, and a search has several words', () => {
  const words = ['--set', 'mode=auto', '--set', 'x=a=b', '--file', 'a', '--file', '/b'];
  expect(read('prompt', 'x', ...words)).toMatchObject({
    settings: [
      { settingId: 'mode', value: 'auto' },
      { settingId: 'x', value: 'a=b' },
    ],
    files: [join(here, 'a'), resolve('/b')],
  });
  expect(read('history', 'search', 'leap', 'year')).toMatchObject({ argument: 'leap year' });
});

test('inspect --web takes an agent, a file or two recordings', () => {
  expect(read('inspect', '--web', '--port', '8080', 'a', '/b')).toMatchObject({
    web: { port: 8080, recordings: [join(here, 'a'), resolve('/b')] },
  });
  expect(read('inspect', '--web', '--cwd', '.', '--', 'x')).toMatchObject({
    web: { port: undefined, recordings: [] },
    cwd: here,
    agent: { command: 'x', args: [] },
  });
});

test.each([
  { argv: ['--help'], request: { show: 'help' } },
  { argv: ['chat', '-h'], request: { show: 'help', command: 'chat' } },
  { argv: ['history', 'print', '--help'], request: { show: 'help', command: 'history print' } },
  { argv: ['-v'], request: { show: 'version' } },
])('$argv asks for $request', ({ argv, request }) => {
  expect(readArguments(argv, here)).toEqual(request);
});

test.each([
  [['--keep'], /There is no command\. Use one of inspect, sessions, .*doctor\. --help describes them/],
  [['isnpect'], /no command isnpect\. Use one of inspect, /],
  [['prompt', 'x', '--jsn'], /prompt has no option --jsn\. It has --format, .*--version\./],
  [['inspect', '-x'], /no option -x/],
  [['chat', '--summary', 'x'], /chat has no option --summary\. It has /],
  [['sessions', '--share-files', '--', 'https://a.b/acp'], /sessions has no option --share-files/],
  [['history', '--keep'], /history has no option --keep/],
  [['inspect', '--trace'], /--trace/],
  [['chat', '--keep=yes'], /--keep/],
  [['inspect', 'extra'], /needs --web\. Without a browser, "fold" prints a recording, and "history print"/],
  [['inspect', '--web', 'a', 'b', 'c'], /an agent, a file, or two recordings to compare/],
  [['inspect', '--web', 'a', '--', 'agent'], /an agent, a file, or two recordings to compare/],
  [['inspect', '--port', '80'], /--port needs --web/],
  [['inspect', '--cwd', '.'], /--cwd needs --web/],
  [['prompt', ' '], /prompt needs <text>/],
  [['prompt', 'fix', 'it'], /"it".*quotes/],
  [['history', 'list'], /no command history list\. .* remove\. "history print ID --format html" exports/],
  [['agents', 'a'], /^agents takes no argument, and got "a"\.$/m],
  [['history', 'search'], /history search needs <words…>/],
  [['prompt', 'x', '--permit', 'maybe'], /--permit must be one of ask, allow, reject; got "maybe"/],
  [
    ['prompt', 'x', '--format', 'pdf'],
    /--format must be one of text, markdown, html, json, jsonl, answer; got "pdf"/,
  ],
  [['fold', 'x', '--format', 'test'], /--format must be one of text, markdown, html, json; got "test"/],
  [['inspect', '--format', 'html'], /--format must be one of text, json; got "html"/],
  [['inspect', '--timeout', '0'], /--timeout must be a whole number of milliseconds from 1 to \d+; got "0"/],
  [['inspect', '--timeout', '1.5'], /--timeout must be .+; got "1\.5"/],
  [['inspect', '--timeout', '9999999999'], /--timeout must be .+; got "9999999999"/],
  [['prompt', 'x', '--set', 'mode'], /--set must be the id of a setting.+; got "mode"/],
  [['fold', 'a', '--', 'agent'], /fold runs no agent/],
  [['inspect', '--'], /The command of the agent is missing after --/],
  [['chat', '--agent', 'a', '--', 'b'], /--agent and a command after -- exclude each other/],
  [['chat', '--directory', 'd'], /--directory needs --keep/],
  [['inspect', '--header', 'A: b'], /--header is for an agent at a URL/],
  [['prompt', 'x', '--share-files', '--agent', 'a'], /--share-files is for an agent at a URL/],
  [
    ['inspect', '--header', 'secret', '--', 'https://a.b/acp'],
    /--header must be a name, a colon and a value\.$/m,
  ],
  [['inspect', '--', 'https://a.b/acp', '--acp'], /URL after -- is the whole agent/],
  [['sessions', '--cwd', 'here', '--', 'https://a.b/acp'], /--cwd must be an absolute path on the machine/],
  [['prompt', 'x', '--allow-edits', 'src', '--', 'https://a.b/acp'], /--allow-edits .* needs --share-files/],
])('%j is refused', (argv, says) => {
  expect(() => read(...argv)).toThrow(says);
});

test('wrong usage exits with 2 and prints the usage of the command to stderr', async () => {
  const { code, stdout, stderr } = await runHere(['prompt']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(
    'Usage: npx acp-client-sdk prompt <text> [options] [-- <agent command or URL> [args…]]',
  );
});

test('the help of inspect shows that files need --web, and that of fold what its options do there', () => {
  expect(helpText('inspect')).toContain('inspect [--web [file…]] [options]');
  expect(helpText('fold')).toMatch(/the version, .*\n +--session ID\n +the session to print$/m);
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

test('--help fits a screen, and describes each command and its options in 80 columns', async () => {
  const { code, stdout } = await runHere(['--help']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: helpText() });
  for (const name of commandNames) {
    expect(stdout).toMatch(new RegExp(`^ {2}${name}(?: |$)`, 'm'));
    const help = helpText(name);
    const [, list = ''] = /^Options$(.*)^Examples$/ms.exec(help) ?? [];
    const listed = [...list.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, option]) => option);
    expect(listed).toEqual(commands[name].options);
    const forms = `the default first: ${commands[name].formats.join(', ')}`;
    expect(list.replace(/\s+/g, ' ').includes(forms)).toBe(listed.includes('format'));
    expect(help).toContain(commands[name].argument?.name ?? 'Usage: npx acp-client-sdk');
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  }
  const listed = new Set(commandNames.flatMap((name) => commands[name].options));
  expect(optionNames.filter((name) => !listed.has(name))).toEqual([]);
  const lines = stdout.split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
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
