import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { nodeCommand } from '../../../src/node/process/node-command.ts';
import { terminalLoginCommand } from '../../../src/node/terminals/terminal-login.ts';
import { electronVariables, firstMessage, environmentProgram as program } from './printed-environment.ts';

describe('nodeCommand', () => {
  test('runs a file with the program and the environment of this process', async () => {
    expect(nodeCommand(program)).toEqual({ command: process.execPath, args: [program], env: {} });
    const cwd = tmpdir();
    const printed = await firstMessage({ ...nodeCommand(program, ['--acp', 'two words']), cwd });
    expect(printed.argv.slice(1)).toEqual([program, '--acp', 'two words']);
    expect(printed.execArgv).toEqual([]);
  });

  const wrong: readonly (readonly [what: string, parameters: readonly unknown[], message: string])[] = [
    ['a relative path', ['agent.js'], 'file must be an absolute path, such as '],
    ['no path', [undefined], 'nodeCommand: file must be a string; got undefined'],
    ['a URL', [pathToFileURL(program)], 'file must be a string; got an object'],
    ['a NUL character in the path', [`${program}\0`], 'file contains a NUL character'],
    ['one argument that is no array', [program, '--acp'], 'args must be an array; got a string'],
    ['an argument that is no string', [program, [1]], 'args.0 must be a string; got a number'],
  ];
  test.each(wrong)('refuses %s', (_what, parameters, message) => {
    // Callers without types.
    const call = () => nodeCommand(...(parameters as Parameters<typeof nodeCommand>));
    expect(call).toThrow(InvalidParamsError);
    expect(call).toThrow(message);
  });
});

/** Runs `use` as if this process were Electron. */
function inElectron<T>(use: () => T): T {
  const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
  Object.defineProperty(process, 'versions', {
    ...versions,
    value: { ...process.versions, electron: '39.2.0' },
  });
  try {
    return use();
  } finally {
    Object.defineProperty(process, 'versions', versions);
  }
}

describe('nodeCommand in Electron', () => {
  test('sets ELECTRON_RUN_AS_NODE, which the file, its threads and its programs do not get', async () => {
    process.env['LD_LIBRARY_PATH'] = '/opt/lib';
    onTestFinished(() => void delete process.env['LD_LIBRARY_PATH']);
    const command = inElectron(() => nodeCommand(program, ['--acp']));
    expect(command).toMatchObject({ command: process.execPath, env: { ELECTRON_RUN_AS_NODE: '1' } });
    expect(Object.keys(command.env)).toEqual(['ELECTRON_RUN_AS_NODE']);
    const printed = await firstMessage(command);
    expect(printed.argv.slice(1)).toEqual([program, '--acp']);
    expect(printed.execArgv).toEqual([expect.stringContaining('--import=data:')]);
    const { env, started, inThread } = printed;
    expect(env).toMatchObject({ LD_LIBRARY_PATH: '/opt/lib' });
    expect([env, started, inThread].map(electronVariables)).toEqual([[], [], []]);
  });

  test('gives a command for the login in a terminal', () => {
    const agent = inElectron(() => nodeCommand(program, ['--acp']));
    const method = { methodId: 'tty', name: 'Terminal', description: null, args: ['--login'] };
    const { args, env } = terminalLoginCommand(agent, { ...method, type: 'terminal' });
    expect(args).toEqual([expect.stringContaining('--import='), program, '--acp', '--login']);
    expect(env).toMatchObject({ ELECTRON_RUN_AS_NODE: '1' });
  });
});
