import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '#jsonrpc';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { ExitError, InvalidParamsError, MessageTooLargeError, SpawnError } from '../../src/errors.ts';
import { spawnAgent } from '../../src/node/spawn.ts';
import { isAlive, programPath, startAgent, survivors, until } from './processes.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'acp spawn ')));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

describe('a running agent', () => {
  test('gets messages and sends messages', async () => {
    const { agent, messages, hello } = startAgent('echo.mjs');
    expect((await hello).pid).toBe(agent.pid);
    // Message is the library's loose type: any JSON-RPC object.
    const sent = { jsonrpc: '2.0', method: 'grüße', params: ['😀', '\u2028'] } as Message;
    await agent.writer.write(sent);
    await until(() => messages.length === 2);
    expect(messages[1]).toEqual(sent);
    expect(agent.exit).toBeUndefined();
  });

  test('is started with its arguments, folder and environment, spaces and quotes in them', async () => {
    Object.assign(process.env, { ACP_TEST_KEPT: 'kept', ACP_TEST_REMOVED: 'removed' });
    const cwd = join(folder, 'a folder "with" quotes');
    await mkdir(cwd);
    const { hello } = startAgent('describe.mjs', ['two words', '$HOME', '"', ''], {
      cwd,
      env: { ACP_TEST_REMOVED: undefined, ACP_TEST_ADDED: 'a b' },
    });
    expect(await hello).toMatchObject({
      cwd,
      args: ['two words', '$HOME', '"', ''],
      env: { ACP_TEST_KEPT: 'kept', ACP_TEST_ADDED: 'a b' },
    });
    const { env } = await hello;
    expect(env).not.toHaveProperty('ACP_TEST_REMOVED');
  });

  test('is found by a path with spaces, and by its name in the PATH that it is given', async () => {
    const bin = join(folder, 'my tools');
    await mkdir(bin);
    await symlink(process.execPath, join(bin, 'my node'));
    const args = [programPath('describe.mjs')];
    for (const options of [{ command: join(bin, 'my node') }, { command: 'my node', env: { PATH: bin } }]) {
      const agent = spawnAgent({ ...options, args });
      const first = await new Promise((resolve) => agent.reader.listen(resolve));
      expect(first).toMatchObject({ pid: agent.pid });
      await agent.reaped;
    }
  });

  test('leads a process group of its own', async () => {
    const { agent, hello } = startAgent('echo.mjs');
    await hello;
    expect(process.kill(-agent.pid!, 0)).toBe(true);
  });
});

describe('an orderly close', () => {
  test('closes the input, which ends an agent that conforms', async () => {
    const { agent, hello } = startAgent('echo.mjs', [], { shutdown: { graceMs: 15_000 } });
    const { pid } = await hello;
    await agent.close();
    expect(agent.exit).toEqual({ exitCode: 0, signal: null, stderrTail: '' });
    expect(await agent.ended).toEqual({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
    expect(isAlive(pid)).toBe(false);
  });

  test('asks with SIGTERM when the agent goes on', async () => {
    const { agent, hello } = startAgent('polite.mjs', [], { shutdown: { graceMs: 20, killAfterMs: 15_000 } });
    await hello;
    await agent.close();
    expect(await agent.ended).toEqual({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
  });

  test('kills when the agent still goes on, and whatever it started with it', async () => {
    const { agent, hello } = startAgent('parent.mjs', [], { shutdown: { graceMs: 20, killAfterMs: 50 } });
    const { pid, children } = await hello;
    await agent.close();
    expect(await agent.ended).toEqual({ exit: { exitCode: null, signal: 'SIGKILL', stderrTail: '' } });
    expect([pid, ...children!].filter(isAlive)).toEqual([]);
  });

  test('may be asked for twice, at once, and after the end', async () => {
    const { agent } = startAgent('echo.mjs');
    const first = agent.close();
    expect(agent.close()).toBe(first);
    await first;
    await agent.close();
    await agent[Symbol.asyncDispose]();
    expect((await agent.ended).error).toBeUndefined();
  });

  test('delivers what the agent says on its way out', async () => {
    const { agent, messages, hello } = startAgent('echo.mjs');
    await hello;
    for (let index = 0; index < 500; index++) void agent.writer.write({ jsonrpc: '2.0', index } as Message);
    await agent.close();
    expect(messages).toHaveLength(501);
  });

  test('takes a write that comes too late', async () => {
    const { agent } = startAgent('echo.mjs');
    await agent.close();
    await agent.writer.write({ jsonrpc: '2.0' });
    expect(await agent.ended).not.toHaveProperty('error');
  });

  test('does not wait for a listener that has gone', async () => {
    const { agent } = startAgent('flood.mjs', ['5000'], { shutdown: { graceMs: 20 } });
    agent.reader.dispose();
    await agent.close();
    expect(agent.exit).toBeDefined();
  });
});

describe('an agent that ends by itself', () => {
  test('is an ExitError with the code and the last lines of stderr, colours taken out of the message', async () => {
    const stderr = 'starting\n\x1b[31mError: no key\x1b[0m\n  at main\n';
    const { agent, messages } = startAgent('exit.mjs', ['3', '{"last":"words"}', stderr]);
    const { error, exit } = await agent.ended;
    expect(error).toBeInstanceOf(ExitError);
    expect(error).toMatchObject({ code: 'agent.exit', exitCode: 3, signal: null, stderrTail: stderr });
    expect(error?.message).toContain('exited with code 3');
    expect(error?.message).toContain('starting\nError: no key\n  at main');
    expect(exit).toEqual({ exitCode: 3, signal: null, stderrTail: stderr });
    expect(messages).toEqual([{ last: 'words' }]);
  });

  test('is told to whoever waits, though nobody listens to its messages', async () => {
    const agent = spawnAgent({ command: process.execPath, args: [programPath('flood.mjs'), '10'] });
    expect((await agent.ended).error).toMatchObject({ exitCode: 9 });
    const late: Message[] = [];
    agent.reader.listen((message) => void late.push(message));
    await until(() => late.length === 10);
  });

  test('is an ExitError with code 0 too, when nobody had asked for it', async () => {
    const { agent } = startAgent('exit.mjs', ['0']);
    expect((await agent.ended).error).toMatchObject({ exitCode: 0, signal: null, stderrTail: '' });
  });

  test('is an ExitError with the signal that ended it', async () => {
    const { agent } = startAgent('exit.mjs', ['SIGKILL']);
    const { error } = await agent.ended;
    expect(error).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(error?.message).toContain('SIGKILL');
  });

  test('is told apart from the end of one that had said something', async () => {
    const spoke = startAgent('exit.mjs', ['1', '{"up":true}']).agent;
    const mute = startAgent('exit.mjs', ['1']).agent;
    expect((await spoke.ended).error?.message).toContain('exited with code 1 while it was in use');
    expect((await mute.ended).error?.message).toContain('exited with code 1 before it sent a message');
  });

  test('shows what it wrote to the wrong place, where there is nothing better', async () => {
    const usage = 'Usage: agent \x1b[1m--acp\x1b[0m\n';
    const [bare, told, spoke] = await Promise.all(
      [
        ['1', usage],
        ['1', usage, 'no key'],
        ['1', `${usage}{"up":true}`],
      ].map(async (args) => {
        return (await startAgent('exit.mjs', args).agent.ended).error?.message;
      }),
    );
    expect(bare).toMatch(/to stdout, where only messages belong:\nUsage: agent --acp$/);
    expect(told).toMatch(/The last it wrote to stderr:\nno key$/);
    expect(spoke).toMatch(/It wrote nothing to stderr: run the same command in a terminal to see why\.$/);
  });

  test('stays unexpected when its end is answered with a close', async () => {
    const { agent } = startAgent('exit.mjs', ['4']);
    agent.reader.onClose(() => void agent.close());
    expect((await agent.ended).error).toMatchObject({ exitCode: 4 });
  });

  test('is drained, then ended, then reaped', async () => {
    const { agent, messages } = startAgent('flood.mjs', ['3000']);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(`${name} ${messages.length}`);
    await Promise.all([
      agent.reaped.then(note('reaped')),
      agent.ended.then(note('ended')),
      agent.drained.then(note('drained')),
    ]);
    expect(order).toEqual(['drained 3000', 'ended 3000', 'reaped 3000']);
  });

  test('has delivered everything before its end is told, to a slow listener too', async () => {
    const agent = spawnAgent({ command: process.execPath, args: [programPath('flood.mjs'), '2000'] });
    let count = 0;
    const reader = agent.reader as typeof agent.reader & { hold(): void; release(): void };
    agent.reader.listen(() => {
      if (++count % 100 === 0) {
        reader.hold();
        setTimeout(() => reader.release(), 20);
      }
    });
    const { exit } = await agent.ended;
    expect(count).toBe(2000);
    expect(exit?.exitCode).toBe(9);
  });

  test('does not keep the channel open by what it leaves behind, which is killed', async () => {
    const { agent, hello } = startAgent('orphan.mjs', [], { shutdown: { killAfterMs: 50 } });
    const { children } = await hello;
    expect((await agent.ended).error).toMatchObject({ exitCode: 7 });
    await agent.reaped;
    expect(children).toHaveLength(2);
    expect(children!.filter(isAlive)).toEqual([]);
  });

  test('takes writes that nobody reads any more', async () => {
    const { agent, hello } = startAgent('exit.mjs', ['1', '{"up":true}']);
    await hello;
    const writes = Array.from({ length: 50 }, () =>
      agent.writer.write({ jsonrpc: '2.0', id: 'x'.repeat(10_000) } as Message),
    );
    await Promise.all(writes);
    expect((await agent.ended).error).toMatchObject({ exitCode: 1 });
  });
});

describe('an agent that breaks its channel and goes on running', () => {
  test('is stopped when it closes its output', async () => {
    const { agent, hello } = startAgent('close-output.mjs');
    const { pid } = await hello;
    const { error } = await agent.ended;
    expect(error).toBeInstanceOf(ExitError);
    expect(error?.message).toContain('closed its output');
    await agent.reaped;
    expect(isAlive(pid)).toBe(false);
  });

  test('is stopped when it closes its input', async () => {
    const { agent, hello } = startAgent('close-input.mjs');
    await hello;
    await agent.writer.write({ jsonrpc: '2.0' });
    const { error } = await agent.ended;
    expect(error).toBeInstanceOf(ExitError);
    expect(error?.message).toContain('closed its input');
  });

  test('is stopped when it sends a message that is too long', async () => {
    const { agent, hello } = startAgent('echo.mjs', [], { maxLineBytes: 100 });
    await hello;
    await agent.writer.write({ jsonrpc: '2.0', text: 'x'.repeat(200) } as Message);
    const { error, exit } = await agent.ended;
    expect(error).toBeInstanceOf(MessageTooLargeError);
    expect(error).toMatchObject({ limitBytes: 100 });
    expect(exit).toMatchObject({ signal: 'SIGTERM' });
  });
});

describe('stderr', () => {
  test('keeps its end, bounded in bytes and cut between characters', async () => {
    const { agent } = startAgent('exit.mjs', ['1', '', 'ü'.repeat(1000)], { stderrTailBytes: 101 });
    const { exit } = await agent.ended;
    expect(exit?.stderrTail).toBe('ü'.repeat(50));
  });

  test('is given whole to whoever asks for it, and a listener that throws breaks nothing', async () => {
    const stderr = 'é😀'.repeat(20_000);
    let heard = '';
    const diagnostics: Diagnostic[] = [];
    const { agent } = startAgent('exit.mjs', ['1', '', stderr.slice(0, 60_000)], {
      onStderr: (text) => {
        heard += text;
        throw new Error('no room');
      },
    });
    agent.onDiagnostic = (diagnostic) => void diagnostics.push(diagnostic);
    await agent.ended;
    expect(heard).toBe(stderr.slice(0, 60_000));
    expect(diagnostics[0]).toMatchObject({
      rule: 'subscriber.failed',
      message: expect.stringContaining('no room'),
    });
  });
});

describe('an agent that cannot be started', () => {
  const cases: [string, () => Promise<Parameters<typeof spawnAgent>[0]>, string, string][] = [
    [
      'a name that is not in PATH',
      async () => ({ command: 'no-such-agent', args: ['--acp'], env: { PATH: `${folder}:/usr/bin` } }),
      'ENOENT',
      'none of the 2 folders of PATH',
    ],
    [
      'no PATH at all',
      async () => ({ command: 'no-such-agent', env: { PATH: undefined } }),
      'ENOENT',
      'no PATH',
    ],
    [
      'a PATH of one folder',
      async () => ({ command: 'no-such-agent', env: { PATH: folder } }),
      'ENOENT',
      'not in the one folder of PATH',
    ],
    [
      'a PATH with nothing in it',
      async () => ({ command: 'no-such-agent', env: { PATH: '' } }),
      'ENOENT',
      'no PATH',
    ],
    ['a path to nothing', async () => ({ command: join(folder, 'nothing') }), 'ENOENT', 'there is no file'],
    [
      'a command line',
      async () => ({ command: 'npx -y some-agent' }),
      'ENOENT',
      'pass command "npx" and args ["-y","some-agent"]',
    ],
    [
      'a command line that begins with a path',
      async () => ({ command: `${process.execPath} agent.mjs` }),
      'ENOENT',
      `pass command ${JSON.stringify(process.execPath)} and args ["agent.mjs"]`,
    ],
    ['a home that nobody fills in', async () => ({ command: '~/bin/agent' }), 'ENOENT', 'give the full path'],
    ['quotes', async () => ({ command: `"${process.execPath}"` }), 'ENOENT', 'leave them out'],
    [
      'a missing interpreter',
      async () => {
        const command = join(folder, 'script');
        await writeFile(command, '#!/no/such/interpreter\r\nhello\n');
        await chmod(command, 0o755);
        return { command };
      },
      'ENOENT',
      '"/no/such/interpreter\\r"',
    ],
    [
      'a file that is not executable',
      async () => {
        const command = join(folder, 'text.txt');
        await writeFile(command, 'text');
        return { command };
      },
      'EACCES',
      'chmod +x',
    ],
    ['a folder', async () => ({ command: folder }), 'EACCES', 'is a folder'],
    [
      'a file in a file',
      async () => ({ command: `${process.execPath}/agent` }),
      'ENOTDIR',
      'is a file, not a folder',
    ],
    [
      'a working directory that does not exist',
      async () => ({ command: process.execPath, cwd: join(folder, 'gone') }),
      'ENOENT',
      'gone does not exist. Create it',
    ],
    [
      'a working directory that is a file',
      async () => ({ command: process.execPath, cwd: process.execPath }),
      'ENOTDIR',
      'is not a folder',
    ],
    [
      'arguments that are too long',
      async () => ({ command: process.execPath, args: ['x'.repeat(8 * 1024 * 1024)] }),
      'E2BIG',
      'too long',
    ],
  ];

  test.each(cases)('%s', async (_name, makeOptions, errno, explanation) => {
    const options = await makeOptions();
    const agent = spawnAgent({ ...options, env: { ACP_TEST_KEY: 'secret-value', ...options.env } });
    let closed = false;
    agent.reader.onClose(() => {
      closed = true;
    });
    agent.reader.listen(() => {});
    const { error, exit } = await agent.ended;
    expect(closed).toBe(true);
    expect(exit).toBeUndefined();
    expect(error).toBeInstanceOf(SpawnError);
    expect(error).toMatchObject({
      errno,
      command: options.command,
      args: options.args ?? [],
      cwd: options.cwd,
    });
    expect(error?.message).toContain(explanation);
    expect(error?.message).not.toContain('secret-value');
    await agent.writer.write({ jsonrpc: '2.0' });
    await agent.close();
    await agent.reaped;
    expect(agent.pid).toBeUndefined();
  });
});

describe('wrong options', () => {
  const command = process.execPath;
  test.each([
    ['a relative folder', { command, cwd: 'src' }, ['cwd'], /"src", which is relative/],
    [
      'an unknown option',
      { command, arguments: [] },
      ['arguments'],
      /arguments is no option: there are command, args/,
    ],
    ['an unknown time', { command, shutdown: { grace: 1 } }, ['shutdown.grace'], /graceMs, killAfterMs/],
    ['a time that is none', { command, shutdown: { graceMs: -1 } }, ['shutdown.graceMs'], /is -1/],
    ['no command', { command: '' }, ['command'], /empty/],
    ['a command line', { command, args: 'a b' }, ['args'], /pass an array/],
    ['a zero character', { command, args: ['a\0b'] }, ['args[0]'], /zero/],
    ['a variable that is no text', { command, env: { KEY: 17 } }, ['env.KEY'], /of type number/],
    ['a limit that is none', { command, maxLineBytes: Number.NaN }, ['maxLineBytes'], /NaN/],
    ['two mistakes', { command, cwd: '.', onStderr: true }, ['cwd', 'onStderr'], /;/],
    ['nothing', undefined, ['options'], /undefined/],
  ])('%s: nothing is started', (_name, options, paths, message) => {
    let thrown: unknown;
    try {
      // Wrong on purpose: what a caller without types may pass.
      spawnAgent(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidParamsError);
    expect((thrown as InvalidParamsError).issues.map((issue) => issue.path)).toEqual(paths);
    expect((thrown as InvalidParamsError).message).toMatch(message);
  });
});
