import { writeFileSync } from 'node:fs';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import {
  ExitError,
  InvalidParamsError,
  MessageTooLargeError,
  SpawnError,
} from '../../../src/core/base/errors.ts';
import type { SpawnAgentOptions } from '../../../src/node/process/spawn.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';
import {
  isAlive,
  isWindows,
  killed,
  listenTo,
  programArgs,
  programPath,
  startAgent,
  survivors,
  until,
} from './processes.ts';

const folder = sharedFolder('acp spawn ');
afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

describe('a running agent', () => {
  test('delivers messages in both directions', async () => {
    const { agent, messages, hello } = startAgent('echo');
    expect((await hello).pid).toBe(agent.pid);
    expect(agent.program?.args.at(-1)).toBe('echo');
    const sent = { jsonrpc: '2.0', method: 'grüße', params: ['😀', '\u2028'] };
    await agent.send(sent);
    await until(() => messages.length === 2);
    expect(messages[1]).toEqual(sent);
    expect(agent.exit).toBeUndefined();
  });

  test('is started with its arguments, folder and environment, which can contain spaces and quotes', async () => {
    Object.assign(process.env, { ACP_TEST_KEPT: 'kept', ACP_TEST_REMOVED: 'removed' });
    const cwd = join(folder, "a folder 'with' quotes");
    await mkdir(cwd);
    const { hello } = startAgent('describe', ['two words', '$HOME', '"', ''], {
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
    if (isWindows) await copyFile(process.execPath, join(bin, 'my node.exe'));
    else await symlink(process.execPath, join(bin, 'my node'));
    const args = programArgs('describe');
    for (const options of [{ command: join(bin, 'my node') }, { command: 'my node', env: { PATH: bin } }]) {
      const agent = spawnAgent({ ...options, args });
      const first = await new Promise((resolve) => listenTo(agent, resolve));
      expect(first).toMatchObject({ pid: agent.pid });
      await agent.reaped;
    }
  });

  const hostile = ['a & echo pwned', '" & echo pwned & "', 'a\\"b\\', '^x', '<>|()', '!PATH!', ''];
  test.runIf(isWindows).each([
    ['its arguments', hostile],
    ['percent signs', ['100%', '%PATH%']],
  ])('of a batch file gets %s without changes', async (_what, args) => {
    const shim = join(folder, 'my shim.cmd');
    await writeFile(
      shim,
      `@echo off\r\n"${process.execPath}" "${programPath('agents.mjs')}" describe %*\r\n`,
    );
    const agent = spawnAgent({ command: join(folder, 'my shim'), args });
    const first = await new Promise((resolve) => listenTo(agent, resolve));
    await agent.reaped;
    expect(first).toMatchObject({ args });
  });

  test.skipIf(isWindows)('runs in its own process group', async () => {
    const { agent, hello } = startAgent('echo');
    await hello;
    expect(process.kill(-agent.pid!, 0)).toBe(true);
  });
});

describe('an orderly close', () => {
  test('closes the input, which ends an agent that conforms', async () => {
    const { agent, hello } = startAgent('echo', [], { shutdown: { graceMs: 15_000 } });
    const { pid } = await hello;
    await agent.close();
    expect(agent.exit).toEqual({ exitCode: 0, signal: null, stderrTail: '' });
    expect(await agent.ended).toEqual({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
    expect(isAlive(pid)).toBe(false);
  });

  test.skipIf(isWindows)(
    '[agents: goes-on-without-input] asks with SIGTERM when the agent goes on',
    async () => {
      const { agent, hello } = startAgent('polite', [], {
        shutdown: { graceMs: 20, killAfterMs: 15_000 },
      });
      await hello;
      await agent.close();
      expect(await agent.ended).toEqual({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
    },
  );

  test('kills the agent and what it started if it ignores SIGTERM', async () => {
    const { agent, hello } = startAgent('parent', [], { shutdown: { graceMs: 20, killAfterMs: 50 } });
    const { pid, children } = await hello;
    await agent.close();
    expect(await agent.ended).toEqual({ exit: { ...killed, stderrTail: '' } });
    expect([pid, ...children!].filter(isAlive)).toEqual([]);
  });

  test.skipIf(isWindows).each([[[]], [['stubborn']]])(
    'ends commands of the agent in their own process group and session, with arguments %j',
    async (args) => {
      const { agent, hello } = startAgent('detached', args, {
        shutdown: { graceMs: 200, killAfterMs: 50 },
      });
      const { children } = await hello;
      expect(children!.filter(isAlive)).toEqual(children);
      await agent.close();
      expect(children!.filter(isAlive)).toEqual([]);
    },
  );

  test.skipIf(isWindows)('settles if the system cannot end the agent', async () => {
    const { agent, hello } = startAgent('stubborn', [], { shutdown: { graceMs: 0, killAfterMs: 0 } });
    const { pid } = await hello;
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    try {
      await agent.close();
      expect(kill).toHaveBeenCalledWith(-pid, 'SIGKILL');
      expect((await agent.ended).exit).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(isAlive(pid)).toBe(true);
    } finally {
      kill.mockRestore();
      process.kill(pid, 'SIGKILL');
    }
    await until(() => !isAlive(pid));
  });

  test('can be called twice, at the same time and after the end', async () => {
    const { agent } = startAgent('echo');
    const first = agent.close();
    expect(agent.close()).toBe(first);
    await first;
    await agent.close();
    await agent[Symbol.asyncDispose]();
    expect((await agent.ended).error).toBeUndefined();
  });

  test('delivers the last messages of the agent', async () => {
    const { agent, messages, hello } = startAgent('echo');
    await hello;
    for (let index = 0; index < 500; index++) void agent.send({ jsonrpc: '2.0', index });
    await agent.close();
    expect(messages).toHaveLength(501);
  });

  test('accepts a write after the end', async () => {
    const { agent } = startAgent('echo');
    await agent.close();
    await agent.send({ jsonrpc: '2.0' });
    expect(await agent.ended).not.toHaveProperty('error');
  });

  test('does not wait for messages that nothing listens to', async () => {
    const options = { command: process.execPath, args: programArgs('flood', '5000') };
    const agent = spawnAgent({ ...options, shutdown: { graceMs: 20 } });
    await agent.close();
    expect(agent.exit).toBeDefined();
  });
});

describe('an agent that ends by itself', () => {
  test('is an ExitError with the code and the last lines of stderr, without colors in the message', async () => {
    const stderr = 'starting\n\x1b[31mError: no key\x1b[0m\n  at main\n';
    const { agent, messages } = startAgent('exit', ['3', '{"last":"words"}', stderr]);
    const { error, exit } = await agent.ended;
    expect(error).toBeInstanceOf(ExitError);
    expect(error).toMatchObject({ code: 'agent.exit', exitCode: 3, signal: null, stderrTail: stderr });
    expect(error?.message).toContain('exited with code 3');
    expect(error?.message).toContain('starting\nError: no key\n  at main');
    expect(exit).toEqual({ exitCode: 3, signal: null, stderrTail: stderr });
    expect(messages).toEqual([{ last: 'words' }]);
  });

  test('settles `ended` although no listener reads its messages', async () => {
    const agent = spawnAgent({ command: process.execPath, args: programArgs('flood', '10') });
    expect((await agent.ended).error).toMatchObject({ exitCode: 9 });
    const late: unknown[] = [];
    listenTo(agent, (message) => late.push(message));
    await until(() => late.length === 10);
  });

  test('is an ExitError also with code 0, if it was not closed', async () => {
    const { agent } = startAgent('exit', ['0']);
    expect((await agent.ended).error).toMatchObject({ exitCode: 0, signal: null, stderrTail: '' });
  });

  test.skipIf(isWindows).each([
    ['SIGKILL', /was ended by SIGKILL before .* the system because it had no memory left/],
    ['SIGTERM', /A user or another program ended it\.$/],
    ['SIGABRT', /This is a fault in the agent: report it to its author\.$/],
  ])('is an ExitError with the signal that ended it, and what %s means', async (signal, advice) => {
    const { error } = await startAgent('exit', [signal]).agent.ended;
    expect(error).toMatchObject({ exitCode: null, signal });
    expect(error?.message).toMatch(advice);
  });

  test('has a message that tells whether it sent a message before', async () => {
    const spoke = startAgent('exit', ['1', '{"up":true}']).agent;
    const mute = startAgent('exit', ['1']).agent;
    expect((await spoke.ended).error?.message).toContain('exited with code 1 while it was in use');
    expect((await mute.ended).error?.message).toContain('exited with code 1 before it sent a message');
  });

  test('shows its output on stdout if there is none on stderr', async () => {
    const usage = 'Usage: agent \x1b[1m--acp\x1b[0m\n';
    const [stdoutOnly, both, message] = await Promise.all(
      [
        ['1', usage],
        ['1', usage, 'no key'],
        ['1', `${usage}{"up":true}`],
      ].map(async (args) => {
        return (await startAgent('exit', args).agent.ended).error?.message;
      }),
    );
    expect(stdoutOnly).toMatch(/to stdout, where only messages belong:\nUsage: agent --acp$/);
    expect(both).toMatch(/The end of its stderr:\nno key$/);
    expect(message).toMatch(/It wrote nothing to stderr: run the same command in a terminal to see why\.$/);
  });

  test('stays an ExitError when close is called because of it', async () => {
    const { agent } = startAgent('exit', ['4']);
    void agent.drained.then(() => agent.close());
    expect((await agent.ended).error).toMatchObject({ exitCode: 4 });
  });

  test('is drained, then ended, then reaped', async () => {
    const { agent, messages } = startAgent('flood', ['3000']);
    const order: string[] = [];
    const note = (name: string) => () => void order.push(`${name} ${messages.length}`);
    await Promise.all([
      agent.reaped.then(note('reaped')),
      agent.ended.then(note('ended')),
      agent.drained.then(note('drained')),
    ]);
    expect(order).toEqual(['drained 3000', 'ended 3000', 'reaped 3000']);
  });

  test('delivers everything before `ended` settles, also to a slow listener', async () => {
    const agent = spawnAgent({ command: process.execPath, args: programArgs('flood', '2000') });
    let count = 0;
    listenTo(agent, () => {
      if (++count % 100 === 0) {
        agent.pause?.();
        setTimeout(() => agent.resume?.(), 20);
      }
    });
    const { exit } = await agent.ended;
    expect(count).toBe(2000);
    expect(exit?.exitCode).toBe(9);
  });

  // On Windows a process that was left behind is not found.
  test.skipIf(isWindows)(
    'does not keep the channel open with a process that it leaves behind, which is killed',
    async () => {
      const { agent, hello } = startAgent('orphan', [], { shutdown: { killAfterMs: 50 } });
      const { children } = await hello;
      expect((await agent.ended).error).toMatchObject({ exitCode: 7 });
      await agent.reaped;
      expect(children).toHaveLength(2);
      expect(children!.filter(isAlive)).toEqual([]);
    },
  );

  test('accepts writes that it does not read any more', async () => {
    const { agent, hello } = startAgent('exit', ['1', '{"up":true}']);
    await hello;
    const writes = Array.from({ length: 50 }, () => agent.send({ jsonrpc: '2.0', id: 'x'.repeat(10_000) }));
    await Promise.all(writes);
    expect((await agent.ended).error).toMatchObject({ exitCode: 1 });
  });
});

describe('an agent that breaks its channel and goes on running', () => {
  test('is stopped when it closes its output', async () => {
    const { agent, hello } = startAgent('close', ['output']);
    const { pid } = await hello;
    const { error } = await agent.ended;
    expect(error).toBeInstanceOf(ExitError);
    expect(error?.message).toContain('closed its output');
    await agent.reaped;
    expect(isAlive(pid)).toBe(false);
  });

  test('is stopped when it closes its input', async () => {
    const { agent, hello } = startAgent('close', ['input']);
    await hello;
    await agent.send({ jsonrpc: '2.0' });
    const { error } = await agent.ended;
    expect(error).toBeInstanceOf(ExitError);
    expect(error?.message).toContain('closed its input');
  });

  test('is stopped when it sends a message that is too long', async () => {
    const { agent, hello } = startAgent('echo', [], { maxLineBytes: 100 });
    await hello;
    await agent.send({ jsonrpc: '2.0', text: 'x'.repeat(200) });
    const { error, exit } = await agent.ended;
    expect(error).toBeInstanceOf(MessageTooLargeError);
    expect(error).toMatchObject({ limitBytes: 100 });
    expect(exit).toMatchObject(isWindows ? killed : { signal: 'SIGTERM' });
  });
});

describe('stderr', () => {
  test('[reliability: limit-stderr] keeps its end, bounded in bytes and cut between characters', async () => {
    const { agent } = startAgent('exit', ['1', '', 'ü'.repeat(1000)], { stderrTailBytes: 101 });
    const { exit } = await agent.ended;
    expect(exit?.stderrTail).toBe('ü'.repeat(50));
    const { exit: other } = await startAgent('exit', ['1', '', 'ü'.repeat(6000)]).agent.ended;
    expect(other?.stderrTail).toBe('ü'.repeat(4096));
  });

  test('[reliability: limit-stderr] is passed to `onStderr` completely, also when the callback throws', async () => {
    // Windows takes 32,767 characters of arguments.
    const stderr = 'é😀'.repeat(isWindows ? 8000 : 20_000);
    let received = '';
    const { agent, diagnostics } = startAgent('exit', ['1', '', stderr], {
      onStderr: (text) => {
        received += text;
        throw new Error('no room');
      },
    });
    await agent.ended;
    expect(received).toBe(stderr);
    expect(diagnostics[0]).toMatchObject({
      rule: 'subscriber.failed',
      message: expect.stringContaining('no room'),
    });
  });
});

describe('an agent that cannot be started', () => {
  const files = sharedFolder('acp no agent ');
  const fileOf = (name: string, text: string, mode = 0o644) => {
    writeFileSync(join(files, name), text, { mode });
    return join(files, name);
  };
  const node = process.execPath;
  const command = 'no-such-agent';

  type Case = readonly [explanation: string, options: SpawnAgentOptions, errno: string];
  const script = () => fileOf('script', '#!/no/such/interpreter\r\nhello\n', 0o755);
  const posixOnly: readonly Case[] = [
    ['"/no/such/interpreter\\r"', { command: script() }, 'ENOENT'],
    ['chmod +x', { command: fileOf('text.txt', 'text') }, 'EACCES'],
  ];
  const windowsOnly: readonly Case[] = [
    ['contains a line break', { command: fileOf('shim.cmd', ''), args: ['a\n b'] }, 'EINVAL'],
  ];
  const ofSystem = (windows: string, posix: string) => (isWindows ? windows : posix);
  const twoDirectories = [files, '/usr/bin'].join(delimiter);
  const ofNode = JSON.stringify(node);
  test.each<Case>([
    [
      'none of the 2 directories of PATH',
      { command, args: ['--acp'], env: { PATH: twoDirectories } },
      'ENOENT',
    ],
    ['no PATH', { command, env: { PATH: undefined } }, 'ENOENT'],
    ['not in the one directory of PATH', { command, env: { PATH: files } }, 'ENOENT'],
    ['no PATH', { command, env: { PATH: '' } }, 'ENOENT'],
    ['there is no file', { command: join(files, 'nothing') }, 'ENOENT'],
    ['pass command "npx" and args ["-y","some-agent"]', { command: 'npx -y some-agent' }, 'ENOENT'],
    [`pass command ${ofNode} and args ["agent.mjs"]`, { command: `${node} agent.mjs` }, 'ENOENT'],
    ['give the full path', { command: '~/bin/agent' }, 'ENOENT'],
    ['leave them out', { command: `"${node}"` }, 'ENOENT'],
    ['is a directory', { command: files }, ofSystem('ENOENT', 'EACCES')],
    [
      ofSystem('there is no file', 'is a file, not a directory'),
      { command: `${node}/agent` },
      ofSystem('ENOENT', 'ENOTDIR'),
    ],
    ['gone does not exist. Create it', { command: node, cwd: join(files, 'gone') }, 'ENOENT'],
    ['is not a directory', { command: node, cwd: node }, ofSystem('ENOENT', 'ENOTDIR')],
    ['too long', { command: node, args: ['x'.repeat(2 ** 23)] }, ofSystem('ENAMETOOLONG', 'E2BIG')],
    // Windows does not know an executable file by its mode, and does not read its first line.
    ...(isWindows ? windowsOnly : posixOnly),
  ])('has the explanation: %s', async (explanation, options, errno) => {
    const agent = spawnAgent({ ...options, env: { ACP_TEST_KEY: 'secret-value', ...options.env } });
    listenTo(agent);
    const { error, exit } = await agent.ended;
    await agent.drained;
    expect(exit).toBeUndefined();
    expect(error).toBeInstanceOf(SpawnError);
    const { args = [], cwd } = options;
    expect(error).toMatchObject({ errno, command: options.command, args, cwd });
    expect(error?.message).toContain(explanation);
    expect(error?.message).not.toContain('secret-value');
    await agent.send({ jsonrpc: '2.0' });
    await agent.close();
    await agent.reaped;
    expect(agent.pid).toBeUndefined();
  });
});

const command = process.execPath;
test.each<[unknown, readonly string[], RegExp]>([
  [{ command, cwd: 'src' }, ['cwd'], /must be an absolute path, such as .+; got "src"/],
  [{ command, arguments: [] }, ['arguments'], /arguments is not an option: use one of command, args/],
  [{ command, shutdown: { grace: 1 } }, ['shutdown.grace'], /graceMs, killAfterMs/],
  [{ command, shutdown: { graceMs: -1 } }, ['shutdown.graceMs'], /must be .+; got -1/],
  [{ command, args: ['a\0b'] }, ['args.0'], /NUL/],
  [{ command: '' }, ['command'], /empty/],
  [{ command, env: { KEY: 17 }, args: 'a b' }, ['args', 'env.KEY'], /string; .*a number/],
  [{ command, maxLineBytes: Number.NaN }, ['maxLineBytes'], /NaN/],
  [{ command, env: { '': 'x' } }, ['env'], /env has a name that is empty/],
  [{ command, env: { 'KEY=secret': 'x' } }, ['env'], /^(?!.*secret).*"="/],
  [undefined, ['options'], /undefined/],
])('with the wrong options %j, nothing is started', (options, paths, message) => {
  // Wrong on purpose: a caller without types can pass this.
  const start = () => spawnAgent(options as never);
  expect(start).toThrow(InvalidParamsError);
  expect(start).toThrow(
    expect.objectContaining({
      issues: paths.map((path) => expect.objectContaining({ path })),
      message: expect.stringMatching(message),
    }),
  );
});
