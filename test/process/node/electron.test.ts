import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import {
  electronVariables,
  firstMessage,
  type PrintedEnvironment,
  environmentProgram as program,
  type Variables,
} from './printed-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'acp-electron-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
