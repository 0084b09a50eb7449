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
  demoAgent,
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

test.each([
  {
    how: 'bare',
    args: ['transcript', 's'],
    code: 3,
    says: ['agentCapabilities.loadSession', 'Nothing was sent'],
  },
  { how: 'bare', args: ['sessions'], code: 3, says: ['agentCapabilities.sessionCapabilities.list'] },
  {
    how: 'gives-a-reason',
    args: ['prompt', 'x'],
    code: 4,
    says: ['take the turn: Internal error: The key has expired (error -32603).'],
  },
  {
    how: 'gives-a-reason-at-rest',
    args: ['prompt', 'x'],
    code: 4,
    says: ['take the turn: Internal error: The key has expired (error -32603).'],
  },
  { how: 'refuses', args: ['prompt', 'x'], code: 4, says: ['refused to open a session: No (error -32603).'] },
  {
    how: 'refuses',
    args: ['transcript', 's'],
    code: 4,
    says: ['refused to open the session: Never heard of it (error -32002).'],
  },
  { how: 'refuses', args: ['sessions'], code: 4, says: ['refused to list its sessions'] },
  {
    how: 'wants-login',
    args: ['prompt', 'x'],
    code: 4,
    says: ['-32000', 'Who are you?', 'Log in with the program of the agent', '"doctor" with the same agent'],
  },
  { how: 'crash-at-start', args: ['inspect'], code: 5, says: ['code 3', 'There is no model here.'] },
  { how: 'closes-mid-line', args: ['inspect'], code: 5, says: ['middle of a line', 'code 0'] },
  { how: 'answers-nonsense', args: ['inspect'], code: 5, says: ['initialize', 'hello'] },
  { how: 'version-seven', args: ['inspect'], code: 5, says: ['no protocol version in common', '7'] },
  { how: 'nameless-session', args: ['prompt', 'x'], code: 5, says: ['session/new', 'sessionId'] },
  { how: 'lists-without-end', args: ['sessions'], code: 5, says: ['"again"'] },
])('an agent that is $how: $args exits with $code', async ({ how, args, code, says }) => {
  const processes = watchProcesses();
  const ended = await runHere([...args, ...json, ...smallAgent(how)]);
  expect(ended).toMatchObject({ code, stdout: '' });
  for (const words of says) expect(ended.stderr).toContain(words);
  expect(processes.alive()).toEqual([]);
});

test('a program that does not exist exits with 5', async () => {
  const { code, stdout, stderr } = await runHere(['inspect', '--', 'no-such-program-anywhere']);
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toContain('"no-such-program-anywhere"');
});

const neverInitialized = ({ stderr }: { readonly stderr: string }) => stderr.includes('did not connect');

test('the error about an agent that writes no messages shows what it writes', async () => {
  const processes = watchProcesses();
  const { code, stdout, stderr, timeoutMs } = await runWithTimeout(
    ['inspect', '--format', 'json'],
    smallAgent('garbage'),
    (ended) => ended.stderr.includes('<html>'),
  );
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toContain(`${timeoutMs} ms`);
  expect(processes.alive()).toEqual([]);
});

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

test('a load that is never answered prints what had come', async () => {
  const processes = watchProcesses();
  const { code, stdout, stderr, timeoutMs } = await runWithTimeout(
    ['transcript', 's', '--format', 'json'],
    smallAgent('hangs-in-load'),
    (ended) => !neverInitialized(ended) && ended.stdout.includes('Once upon a'),
  );
  expect(code).toBe(5);
  expect(stderr).toContain(`did not open the session within ${timeoutMs} ms`);
  expect(stderr).toContain('not whole');
  expect(printedConversation(stdout).entries).toMatchObject([{ content: [{ text: 'Once upon a' }] }]);
  expect(processes.alive()).toEqual([]);
});

test('an agent that exits after the replay is not a failure', async () => {
  const args = ['transcript', 's', ...json, '--settle', '20000', ...smallAgent('leaves-after-load')];
  const { code, stdout, stderr } = await runHere(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(printedConversation(stdout).entries).toMatchObject([{ content: [{ text: 'The end.' }] }]);
});

test.each(['v1', 'v2-baseline'])('a turn that the demo agent fails exits with 4, in %s', async (dialect) => {
  const agent = await demoAgent(dialect, temporaryFolder());
  const refused = await runHere(['prompt', 'error', ...json, ...agent]);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  const failed = await runHere(['prompt', 'fail', ...json, ...agent]);
  expect(failed.code).toBe(4);
  expect(failed.stderr).toContain('so this turn failed');
  expect(outlineOf(printedConversation(failed.stdout)).slice(-2)).toEqual([
    'agent live: This was going so well, and then',
    'turn failed: The prompt has the word "fail" in it, so this turn failed',
  ]);
});

describe('Ctrl-C', () => {
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

  test('in a prompt cancels the turn', async () => {
    const processes = watchProcesses();
    const trace = join(temporaryFolder(), 'trace.ndjson');
    const args = ['prompt', 'x', ...json, '--trace', trace, ...smallAgent('cancels-in-turn')];
    const running = await startCommand(args);
    await eventually(() => readFileSync(trace, { encoding: 'utf8', flag: 'a+' })).toContain('Let me think.');
    running.process.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Cancelling');
    expect(printedConversation(stdout).activity).toEqual({ state: 'idle', stopReason: 'cancelled' });
    expect(readFileSync(trace, 'utf8')).toContain('session/cancel');
    expect(processes.alive()).toEqual([]);
  });

  test('twice in a prompt ends the command', async () => {
    const processes = watchProcesses();
    const trace = join(temporaryFolder(), 'trace.ndjson');
    const args = ['prompt', 'x', '--trace', trace, ...smallAgent('hangs-in-turn')];
    const running = await startCommand(args);
    await eventually(() => readFileSync(trace, { encoding: 'utf8', flag: 'a+' })).toContain('Let me think.');
    running.process.kill('SIGINT');
    await running.shows('Cancelling');
    running.process.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(processes.alive()).toEqual([]);
  });
});

test('a signal that ends the command ends the agent', async () => {
  const processes = watchProcesses();
  const running = await startCommand(['sessions', ...smallAgent('hang-at-start')]);
  await eventually(() => processes.alive().length).toBe(2);
  running.process.kill('SIGTERM');
  await running.ended;
  await eventually(() => processes.alive()).toEqual([]);
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
