import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { spawn } from '../../support/spawn.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  outlineOf,
  printedConversation,
  runHere,
  runWithTimeout,
  smallAgent,
  startCommand,
  watchProcesses,
} from './command-line.ts';

beforeAll(buildPackage);

const json = ['--format', 'json'];

const noProgram = ['--', 'no-such-program-anywhere'];
const expired = 'The turn failed: Internal error: The key has expired (error -32603).';

test.each<
  readonly [code: number, args: readonly string[], agent: string | readonly string[], says: string[]]
>([
  [3, ['transcript', 's'], 'bare', ['agentCapabilities.loadSession', 'Nothing was sent']],
  [3, ['sessions'], 'bare', ['agentCapabilities.sessionCapabilities.list']],
  [4, ['prompt', 'x'], 'gives-a-reason', [expired]],
  [4, ['prompt', 'x'], 'gives-a-reason-at-rest', [expired]],
  [4, ['prompt', 'x'], 'refuses', ['refused to open a session: No (error -32603).']],
  [4, ['transcript', 's'], 'refuses', ['refused to open the session: Never heard of it (error -32002).']],
  [4, ['sessions'], 'refuses', ['refused to list its sessions']],
  [4, ['prompt', 'x'], 'wants-login', ['-32000', 'Who are you?', 'Log in with the program of the agent']],
  [4, ['prompt', 'x'], 'wants-login', ['"doctor" with the same agent']],
  [5, ['inspect'], noProgram, ['"no-such-program-anywhere"']],
  [5, ['inspect'], 'crash-at-start', ['code 3', 'There is no model here.']],
  [5, ['inspect'], 'closes-mid-line', ['middle of a line', 'code 0']],
  [5, ['inspect'], 'answers-nonsense', ['initialize', 'hello']],
  [5, ['inspect'], 'version-seven', ['no protocol version in common', '7']],
  [5, ['prompt', 'x'], 'nameless-session', ['session/new', 'sessionId']],
  [5, ['sessions'], 'lists-without-end', ['"again"']],
])('exit code %i: %j with an agent that is %j', async (code, args, how, says) => {
  const processes = watchProcesses();
  const agent = typeof how === 'string' ? smallAgent(how) : how;
  const ended = await runHere([...args, ...json, ...agent]);
  expect(ended).toMatchObject({ code, stdout: '' });
  for (const words of says) expect(ended.stderr).toContain(words);
  expect(processes.alive()).toEqual([]);
});

const neverInitialized = ({ stderr }: { readonly stderr: string }) => stderr.includes('did not connect');

test('an agent that hangs is ended with all its processes, and the error has its last words', async () => {
  const processes = watchProcesses();
  const { code, stderr, timeoutMs } = await runWithTimeout(
    ['inspect'],
    smallAgent('hang-at-start'),
    (ended) => ended.stderr.includes('Still loading.'),
  );
  expect(code).toBe(5);
  expect(stderr).toContain(`did not connect within ${timeoutMs} ms`);
  expect(stderr).toMatch(/Still loading\.$/m);
  expect(processes.alive()).toEqual([]);
});

test('a turn that fails prints what the agent said before', async () => {
  const silent = await runWithTimeout(
    ['prompt', 'x', '--format', 'json'],
    smallAgent('hangs-in-turn'),
    (ended) => !neverInitialized(ended) && ended.stdout !== '',
  );
  expect(silent.code).toBe(5);
  expect(silent.stderr).toContain(`said nothing for ${silent.timeoutMs} ms`);
  expect(outlineOf(printedConversation(silent.stdout))).toContain('agent live: Let me think.');

  const crashed = await runHere(['prompt', 'x', ...json, ...smallAgent('crashes-in-turn')]);
  expect(crashed.code).toBe(5);
  expect(crashed.stderr).toMatch(/^acp-client-sdk: The connection ended during the turn\. .* code 9/);
  expect(crashed.stderr).toContain('Out of tea.');
  expect(outlineOf(printedConversation(crashed.stdout))).toContain('agent live: Before I');
});

test.each(['crashes-in-load', 'crashes-after-load'])(
  'a load that fails prints what had come: an agent that %s',
  async (how) => {
    const processes = watchProcesses();
    const args = ['transcript', 's', ...json, '--settle', '20000', ...smallAgent(how)];
    const { code, stdout, stderr } = await runHere(args);
    expect(code).toBe(5);
    for (const words of ['code 9', 'The page is torn.', 'not whole']) expect(stderr).toContain(words);
    expect(printedConversation(stdout).entries).toMatchObject([{ content: [{ text: 'Once upon a' }] }]);
    expect(processes.alive()).toEqual([]);
  },
);

test('an agent that exits after the replay is not a failure', async () => {
  const args = ['transcript', 's', ...json, '--settle', '20000', ...smallAgent('leaves-after-load')];
  const { code, stdout, stderr } = await runHere(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(printedConversation(stdout).entries).toMatchObject([{ content: [{ text: 'The end.' }] }]);
});

describe('a signal', () => {
  test('ends the command and the agent', async () => {
    const processes = watchProcesses();
    const running = await startCommand(['sessions', ...smallAgent('hang-at-start')]);
    await eventually(() => processes.alive().length).toBe(2);
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, stdout: '' });
    expect(processes.alive()).toEqual([]);
  });

  test('twice ends the command at once', async () => {
    const processes = watchProcesses();
    const running = await startCommand(['sessions', ...smallAgent('hang-at-start')]);
    await eventually(() => processes.alive().length).toBe(2);
    running.process.kill('SIGINT');
    // The system merges equal signals that are pending together, so the second one is sent until the command has ended.
    const again = setInterval(() => running.process.kill('SIGINT'), 100);
    onTestFinished(() => clearInterval(again));
    expect((await running.ended).code).toBe(130);
    await eventually(() => processes.alive()).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s in a prompt ends it, as its summary says', async (signal) => {
    const processes = watchProcesses();
    const [trace = '', summary = ''] = ['trace', 'summary'].map((name) => join(temporaryFolder(), name));
    const files = ['--trace', trace, '--summary', summary];
    const running = await startCommand(['prompt', 'x', ...files, ...smallAgent('cancels-in-turn')]);
    await eventually(() => readFileSync(trace, { encoding: 'utf8', flag: 'a+' })).toContain('Let me think.');
    running.process.kill(signal);
    const [said, stopReason] = signal === 'SIGINT' ? ['Cancelling', 'cancelled'] : ['Interrupted.', null];
    expect(await running.ended).toMatchObject({ code: 130, stderr: expect.stringContaining(said) });
    expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({ error: 'Interrupted.', stopReason });
    expect(readFileSync(trace, 'utf8')).toContain('session/cancel');
    expect(processes.alive()).toEqual([]);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a result that cannot be written', () => {
  test.each(['sessions', 'prompt hello', '--help'])('%s', async (words) => {
    const full = openSync('/dev/full', 'w');
    try {
      const program = join(await buildPackage(), 'cli.js');
      const command = spawn(process.execPath, [program, ...words.split(' ')], {
        stdio: ['ignore', full, 'pipe'],
      });
      // stderr is a pipe.
      const said = readAll(command.stderr as Readable);
      const [stderr, [code]] = await Promise.all([said, once(command, 'exit')]);
      expect(stderr).toContain('cannot be written to stdout: ENOSPC');
      expect(code).toBe(2);
    } finally {
      closeSync(full);
    }
  });
});
