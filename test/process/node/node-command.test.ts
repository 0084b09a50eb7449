import { chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { nodeCommand } from '../../../src/node/process/node-command.ts';
import { terminalLoginCommand } from '../../../src/node/terminals/terminal-login.ts';
import { buildPackage } from '../../support/build.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';
import {
  electronVariables,
  firstMessage,
  type PrintedEnvironment,
  environmentProgram as program,
  type Variables,
} from './processes.ts';

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

const folder = sharedFolder();

/**
 * A program that behaves like that of Electron: it runs a file only with ELECTRON_RUN_AS_NODE, and can need the
 * libraries of its AppImage. `process.execPath` is its own path.
 */
function electronProgram(libraries = ''): string {
  const path = join(folder, `electron${libraries === '' ? '' : ' in an AppImage'}`);
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '39.2.0' } })`;
  const script = `${versions}; process.execPath = ${JSON.stringify(path)}`;
  writeFileSync(
    path,
    `#!/bin/sh
[ "$ELECTRON_RUN_AS_NODE" = 1 ] || { echo 'a window opens' >&2; exit 9; }
case :$LD_LIBRARY_PATH: in
  *:'${libraries}':*) ;;
  *) echo 'libnss3.so: cannot open shared object file' >&2; exit 127 ;;
esac
exec '${process.execPath}' '--import=data:text/javascript,${encodeURIComponent(script).replaceAll("'", '%27')}' "$@"
`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Runs an editor in such a program that starts an agent, and resolves to what the agent prints. */
async function printedBy(electron: string, env: Variables = {}): Promise<PrintedEnvironment> {
  const library = pathToFileURL(join(await buildPackage(), 'node.js')).href;
  const editor = `
    const { nodeCommand, spawnAgent } = await import(${JSON.stringify(library)});
    const agent = spawnAgent(nodeCommand(${JSON.stringify(program)}, ['--acp']));
    agent.listen({ onMessage: (message) => console.log(JSON.stringify(message)), onDiagnostic() {}, onActivity() {} });
    agent.ended.then(({ exit }) => exit.exitCode && console.error(exit.stderrTail));`;
  return firstMessage({
    command: electron,
    args: ['--input-type=module', '-e', editor],
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', ACP_TEST_NODE: process.execPath },
  });
}

describe('an editor in the program of Electron', () => {
  test('starts an agent with it that passes nothing on', async () => {
    const { argv, env, started } = await printedBy(electronProgram());
    expect(argv.slice(1)).toEqual([program, '--acp']);
    expect([env, started].map(electronVariables)).toEqual([[], []]);
  });

  test('loads the libraries of its AppImage for the agent, whose programs do not get them', async () => {
    const bundle = '/tmp/.mount_acp1';
    const LD_LIBRARY_PATH = `${bundle}/usr/lib:/opt/lib`;
    const appImage = { APPIMAGE: '/opt/editor.AppImage', APPDIR: bundle, LD_LIBRARY_PATH };
    const printed = await printedBy(electronProgram(`${bundle}/usr/lib`), appImage);
    for (const { LD_LIBRARY_PATH, APPIMAGE } of [printed.env, printed.started]) {
      expect([LD_LIBRARY_PATH, APPIMAGE]).toEqual(['/opt/lib', undefined]);
    }
  });
});
