import { chmod, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import type { TerminalChange } from '../../../src/core/client/requests/handlers.ts';
import { isCommandLine } from '../../../src/node/terminals/terminal-start.ts';
import { type NodeTerminals, nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';
import {
  answerOf,
  isAlive,
  isWindows,
  killed,
  programArgs,
  programCommand,
  stillRunning,
  until,
} from './processes.ts';

const folder = sharedFolder('acp terminals ');

let terminals: NodeTerminals;
const pids = new Set<number>();
beforeEach(() => {
  terminals = nodeTerminals({ killAfterMs: 100 });
});
afterEach(async () => {
  await terminals.close();
  expect(await stillRunning(pids)).toEqual([]);
});

const node = process.execPath;

/** A command that writes a text. */
const writes = (text: string) =>
  isWindows
    ? { command: node, args: ['-e', `process.stdout.write(${JSON.stringify(text)})`] }
    : { command: 'printf', args: ['%s', text] };

/** Runs a command to its end and returns its output. */
async function run(request: Parameters<NodeTerminals['create']>[0]) {
  const { terminalId } = await terminals.create(request);
  const exit = await terminals.waitForExit({ terminalId });
  return { terminalId, exit, ...(await terminals.output({ terminalId })) };
}

/** Starts one of the small programs, and returns the process ids that it prints. */
async function startProgram(name: string, ...args: string[]) {
  const { terminalId } = await terminals.create(programCommand(name, ...args));
  await until(() => terminals.get(terminalId)?.output.includes('\n') ?? false);
  const { pid, children = [] } = JSON.parse(terminals.get(terminalId)!.output);
  for (const each of [pid, ...children]) pids.add(each);
  return { terminalId, pids: [pid, ...children] as number[] };
}

describe('a command', () => {
  test('gets its arguments without changes, its folder and its environment', async () => {
    const { output, exit } = await run({
      command: node,
      args: programArgs('describe', 'two words', '$HOME', '*'),
      cwd: folder,
      env: [
        { name: 'ACP_TEST_A', value: 'a b' },
        { name: 'ACP_TEST_A', value: 'later' },
      ],
    });
    expect(JSON.parse(output)).toMatchObject({
      args: ['two words', '$HOME', '*'],
      cwd: folder,
      env: { ACP_TEST_A: 'later' },
    });
    expect(exit).toEqual({ exitCode: 0, signal: null });
  });

  test('gets the folder and the environment of the options if the agent names none', async () => {
    await using own = nodeTerminals({ cwd: folder, env: { ACP_TEST_OPTION: 'o', HOME: undefined } });
    const script =
      'console.log(JSON.stringify([process.cwd(), process.env.ACP_TEST_OPTION, process.env.HOME ?? null]))';
    const { terminalId } = await own.create({ command: node, args: ['-e', script], cwd: null, env: null });
    await own.waitForExit({ terminalId });
    expect(JSON.parse((await own.output({ terminalId })).output)).toEqual([folder, 'o', null]);
  });

  test('has an empty input', async () => {
    const script = 'process.stdin.on("end", () => console.log("no input")).resume()';
    expect((await run({ command: node, args: ['-e', script] })).output).toBe('no input\n');
  });

  test('has the output of both streams, with characters that arrived in two parts', async () => {
    const { output } = await run({ command: node, args: programArgs('outputs') });
    expect(output).toContain('err !');
    // Which of the two is read first, is not known.
    expect(output.replace('err !', '') === `x${'ü'.repeat(100_000)}`).toBe(true);
  });

  test('exits with its code, or with the signal that ended it', async () => {
    expect(await run(programCommand('exit', '3', 'last words'))).toMatchObject({
      exit: { exitCode: 3, signal: null },
      exitStatus: { exitCode: 3, signal: null },
      output: 'last words',
      truncated: false,
    });
    expect((await run(programCommand('exit', 'SIGKILL'))).exitStatus).toEqual(killed);
  });

  test('has no exit status while it runs', async () => {
    const { terminalId } = await startProgram('polite');
    expect(await terminals.output({ terminalId })).toMatchObject({ truncated: false, exitStatus: null });
  });

  // On Windows a process that was left behind is not found.
  test.skipIf(isWindows)('ends what it left in the background', async () => {
    const { terminalId, pids } = await startProgram('orphan');
    expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 7, signal: null });
    expect(pids).toHaveLength(3);
    await until(() => !pids.some(isAlive));
  });
});

describe('a line for a shell', () => {
  test('is run by the shell when there are no arguments', async () => {
    const [line, output] = isWindows
      ? ['echo a   b& exit 4', 'a   b\r\n']
      : [`echo "a   b" | tr a-z A-Z; exit 4`, 'A   B\n'];
    expect(await run({ command: line, cwd: folder })).toMatchObject({
      output,
      exitStatus: { exitCode: 4, signal: null },
    });
    expect((await run({ command: line, args: [], cwd: folder })).output).toBe(output);
  });

  test('is not a program whose name contains spaces', async () => {
    const name = isWindows ? 'my tool.cmd' : 'my tool';
    await writeFile(join(folder, name), isWindows ? '@echo ran%1\r\n' : '#!/bin/sh\necho "ran$1"\n');
    await chmod(join(folder, name), 0o755);
    expect((await run({ command: join(folder, name) })).output.trim()).toBe('ran');
    expect((await run({ command: `./${name}`, cwd: folder })).output.trim()).toBe('ran');
  });

  test.each([
    ['npm test', [], 'linux', true],
    ['a|b', [], 'linux', true],
    ['~/bin/tool', [], 'linux', true],
    ['/usr/bin/env', [], 'linux', false],
    ['make', [], 'linux', false],
    ['npm test', ['x'], 'linux', false],
    ['C:\\bin\\tool.exe', [], 'win32', false],
    ['dir *.ts', [], 'win32', true],
    ['echo %PATH%', [], 'win32', true],
  ] as const)('is "%s" with %j on %s: %s', (command, args, platform, expected) => {
    expect(isCommandLine(command, args, platform)).toBe(expected);
  });
});

describe('the output', () => {
  test('is cut from the start, between characters, to the limit in bytes', async () => {
    const text = 'aü😀'.repeat(10);
    for (const [limit, kept] of [
      [7, 'aü😀'],
      [6, 'ü😀'],
      [5, '😀'],
      [3, ''],
      [0, ''],
    ] as const) {
      const { output, truncated } = await run({ ...writes(text), outputByteLimit: limit });
      expect([output, truncated], `limit ${limit}`).toEqual([kept, true]);
    }
    const whole = await run({ ...writes(text), outputByteLimit: 70 });
    expect([whole.output, whole.truncated]).toEqual([text, false]);
  });

  test('[reliability: limit-terminal] has the limits of the options, which the agent cannot exceed', async () => {
    await using own = nodeTerminals({ outputByteLimit: 10, maxOutputByteLimit: 20 });
    const length = async (outputByteLimit: number | null) => {
      const { terminalId } = await own.create({ ...writes('x'.repeat(100)), outputByteLimit });
      await own.waitForExit({ terminalId });
      return (await own.output({ terminalId })).output.length;
    };
    expect(await length(null)).toBe(10);
    expect(await length(15)).toBe(15);
    expect(await length(1e15)).toBe(20);
  });

  test('[reliability: limit-terminal] is limited when much arrives', async () => {
    const { output, truncated } = await run({ command: node, args: programArgs('flood', '5000') });
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(output)).toBe(1024 * 1024);
    expect(output.endsWith(`"}\n`)).toBe(true);
  });
});

describe('a listener that fails', () => {
  const failing = [
    ['throws at once', 'output'],
    ['throws at a later change', 'exit'],
  ] as const;
  test.each(failing)(
    '[reliability: failing-listeners] and %s is an uncaught exception, and disturbs no other',
    async (_, failsAt) => {
      const uncaught = unhandledErrors();
      const { terminalId } = await terminals.create({ command: node, args: ['-e', 'console.log("text")'] });
      await until(() => terminals.get(terminalId)?.output === 'text\n');
      const seen: string[] = [];
      terminals.subscribe(terminalId, ({ type }) => {
        if (type === failsAt) throw new Error(`mine at ${type}`);
      });
      terminals.subscribe(terminalId, ({ type }) => seen.push(type));
      await terminals.waitForExit({ terminalId });
      await terminals.release({ terminalId });
      await until(() => seen.includes('release'));
      expect(uncaught).toEqual([new Error(`mine at ${failsAt}`)]);
      expect(seen).toEqual(['output', 'exit', 'release']);
    },
  );
});

describe('the limits of all terminals', () => {
  const write = (bytes: number) => ({
    ...(isWindows
      ? { command: node, args: ['-e', `process.stdout.write('x'.repeat(${bytes}))`] }
      : { command: 'head', args: ['-c', `${bytes}`, '/dev/zero'] }),
    outputByteLimit: bytes,
  });

  test('[reliability: limit-terminals] refuse one more command while the highest number runs', async () => {
    await using own = nodeTerminals({ maxTerminals: 2, killAfterMs: 100 });
    const request = programCommand('polite');
    const first = await own.create(request);
    await own.create(request);
    const error = await answerOf(own.create(request));
    expect(error.code).toBe(-32603);
    expect(error.message).toContain('2 commands run, which is the limit');
    await own.kill(first);
    const third = await own.create(request);
    // The command that had exited was released to make room.
    expect(own.get(first.terminalId)).toMatchObject({ released: true });
    expect(own.get(third.terminalId)).toMatchObject({ released: false });
  });

  test('[reliability: limit-output] apply to the output of all terminals together', async () => {
    const total = 2 ** 20;
    await using own = nodeTerminals({ totalOutputByteLimit: total });
    const lengths: number[] = [];
    for (let index = 0; index < 4; index++) {
      const { terminalId } = await own.create(write(total / 2));
      await own.waitForExit({ terminalId });
      const { output, truncated } = await own.output({ terminalId });
      expect(truncated).toBe(output.length < total / 2);
      lengths.push(output.length);
    }
    // What arrives as one chunk can be larger than what a terminal can always keep.
    expect(lengths.slice(0, 2)).toEqual([total / 2, total / 2]);
    expect(lengths.slice(2)).toEqual([64 * 1024, 64 * 1024]);
  });

  test('[reliability: limit-output] drop the output of released terminals first', async () => {
    const total = 2 ** 20;
    await using own = nodeTerminals({ totalOutputByteLimit: total });
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      const { terminalId } = await own.create(write(total / 2));
      ids.push(terminalId);
      await own.waitForExit({ terminalId });
      expect((await own.output({ terminalId })).truncated).toBe(false);
      await own.release({ terminalId });
    }
    expect(ids.map((id) => own.get(id)?.output.length)).toEqual([undefined, total / 2, total / 2]);
  });
});

describe('kill and release', () => {
  test('kill ends the command and all that it started, and keeps the terminal', async () => {
    const { terminalId, pids } = await startProgram('parent');
    const exit = terminals.waitForExit({ terminalId });
    await terminals.kill({ terminalId });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await exit).toEqual(killed);
    expect(await terminals.output({ terminalId })).toMatchObject({
      output: expect.stringContaining('pid'),
      exitStatus: killed,
    });
    await terminals.kill({ terminalId });
  });

  test.skipIf(isWindows)('kill ends what moved to another session', async () => {
    const { terminalId, pids } = await startProgram('detached', 'stubborn');
    await terminals.kill({ terminalId });
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test.skipIf(isWindows)('kill sends SIGTERM first', async () => {
    // A busy machine needs time to run the program's handler of the signal.
    await terminals.close();
    terminals = nodeTerminals({ killAfterMs: 20_000 });
    const { terminalId } = await startProgram('polite');
    await terminals.kill({ terminalId });
    expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 0, signal: null });
  });

  test('release ends the command, and the output stays for the editor only', async () => {
    const { terminalId, pids } = await startProgram('stubborn');
    const exit = terminals.waitForExit({ terminalId });
    await terminals.release({ terminalId });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await exit).toEqual(killed);
    expect(terminals.get(terminalId)).toMatchObject({
      terminalId,
      ...programCommand('stubborn'),
      output: `{"pid":${pids[0]}}\n`,
      truncated: false,
      exitStatus: killed,
      released: true,
    });
    for (const method of ['output', 'waitForExit', 'kill', 'release'] as const) {
      const error = await answerOf(terminals[method]({ terminalId }));
      expect(error.code, method).toBe(-32002);
      expect(error.message).toContain('was released');
    }
  });

  test('output of the oldest released terminals is dropped beyond keepReleased', async () => {
    await using own = nodeTerminals({ keepReleased: 2 });
    const ids: string[] = [];
    for (let index = 0; index < 4; index++) {
      const { terminalId } = await own.create(writes(`${index}`));
      await own.waitForExit({ terminalId });
      await own.release({ terminalId });
      ids.push(terminalId);
    }
    expect(ids.map((id) => own.get(id)?.output)).toEqual([undefined, undefined, '2', '3']);
  });

  test('close ends all terminals, and create is refused afterwards', async () => {
    const started = [await startProgram('parent'), await startProgram('polite')];
    await Promise.all([terminals.close(), terminals.close()]);
    expect(started.flatMap(({ pids }) => pids).filter(isAlive)).toEqual([]);
    expect((await answerOf(terminals.create({ command: node }))).message).toContain('closing');
  });

  test('close refuses a create that has not started its command yet', async () => {
    const creating = terminals.create(programCommand('stubborn'));
    const closed = terminals.close();
    expect((await answerOf(creating)).message).toContain('closing');
    await closed;
  });

  test('close waits for commands of released terminals', async () => {
    const { terminalId, pids } = await startProgram('parent');
    const release = terminals.release({ terminalId });
    await terminals.close();
    expect(pids.filter(isAlive)).toEqual([]);
    await release;
  });

  test('aborting the signal ends all terminals', async () => {
    const control = new AbortController();
    await terminals.close();
    terminals = nodeTerminals({ signal: control.signal, killAfterMs: 100 });
    const { terminalId, pids } = await startProgram('parent');
    control.abort();
    await until(() => terminals.get(terminalId)?.exitStatus !== undefined);
    await terminals.close();
    expect(pids.filter(isAlive)).toEqual([]);
    const aborted = nodeTerminals({ signal: control.signal });
    expect((await answerOf(aborted.create({ command: node }))).message).toContain('closing');
  });
});

describe('requests that fail', () => {
  test.each([
    [{ command: 'no-such-command', args: ['x'] }, /"no-such-command": it is in none of/],
    [{ command: join(tmpdir(), 'no-such-command') }, /there is no file/],
    [{ command: tmpdir(), args: ['x'] }, /is a directory/],
    [{ command: node, cwd: '/no/such/folder' }, /directory \/no\/such\/folder does not exist/],
    [{ command: node, cwd: 'src' }, /cwd must be an absolute path; got "src"/],
    [{ command: ' ' }, /empty/],
    [{ command: node, outputByteLimit: -1 }, /outputByteLimit must be a whole number of bytes; got -1/],
    [{ command: node, args: ['a\0b'] }, /ERR_INVALID_ARG_VALUE/],
  ])('create %j', async (request, message) => {
    const error = await answerOf(terminals.create(request));
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(message);
  });

  test('a terminal that does not exist', async () => {
    const error = await answerOf(terminals.output({ terminalId: 'none' }));
    expect(error).toMatchObject({ code: -32002, data: { terminalId: 'none' } });
    expect(terminals.get('none')).toBeUndefined();
    terminals.subscribe('none', () => {})();
  });

  test('a wait that the agent withdraws ends, and the command runs on', async () => {
    const { terminalId, pids } = await startProgram('polite');
    const control = new AbortController();
    const wait = terminals.waitForExit({ terminalId }, { signal: control.signal });
    control.abort();
    expect((await answerOf(wait)).code).toBe(-32800);
    expect((await answerOf(terminals.waitForExit({ terminalId }, { signal: control.signal }))).code).toBe(
      -32800,
    );
    expect(pids.filter(isAlive)).toEqual(pids);
  });

  test('a request that is withdrawn before the start starts nothing', async () => {
    const marker = join(folder, 'marker');
    const touch = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`];
    const create = terminals.create({ command: node, args: touch }, { signal: AbortSignal.abort() });
    expect((await answerOf(create)).code).toBe(-32800);
    await run({ command: node, args: ['-e', ''] });
    expect(await readdir(folder)).not.toContain('marker');
  });

  test.each([
    [{ cwd: 'src' }, /cwd must be an absolute path, such as .+; got "src"/],
    [{ limit: 1 }, /limit is not an option: use one of cwd, env/],
    [{ signal: true }, /signal must be the signal of an AbortController; got a boolean/],
    [{ outputByteLimit: '1' }, /outputByteLimit must be a whole number .+; got "1"/],
  ])('the options %j throw at once', (options, message) => {
    // Wrong on purpose: a caller without types can pass this.
    const make = () => nodeTerminals(options as never);
    expect(make).toThrow(InvalidParamsError);
    expect(make).toThrow(message);
  });
});

describe('a subscriber', () => {
  test('is called with output, exit and release, in this order, until it is removed', async () => {
    const script = `console.log('one'); setTimeout(() => console.log('two'), 200)`;
    const { terminalId } = await terminals.create({ command: node, args: ['-e', script] });
    const events: TerminalChange[] = [];
    const early: TerminalChange[] = [];
    terminals.subscribe(terminalId, (event) => void events.push(event));
    const stop = terminals.subscribe(terminalId, (event) => {
      early.push(event);
      stop();
    });
    await terminals.waitForExit({ terminalId });
    await terminals.release({ terminalId });
    const output = events.filter((event) => event.type === 'output');
    expect(output.map(({ text }) => text).join('')).toBe('one\ntwo\n');
    expect(events.slice(output.length)).toEqual([
      { type: 'exit', exitStatus: { exitCode: 0, signal: null } },
      { type: 'release' },
    ]);
    expect(early).toHaveLength(1);
  });
});
