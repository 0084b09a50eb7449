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

/** Runs an editor in such a program, and resolves to what it prints. `code` can use the library. */
async function printedBy<T = PrintedEnvironment>(
  code: string,
  electron: string,
  env: Variables = {},
): Promise<T> {
  const built = await buildPackage();
  const imports = ['index', 'node'].map((entry) => pathToFileURL(join(built, `${entry}.js`)).href);
  const editor = `
    const [{ connect }, { demoAgentCommand, nodeCommand, spawnAgent }] =
      await Promise.all(${JSON.stringify(imports)}.map((url) => import(url)));
    ${code}`;
  return firstMessage<T>({
    command: electron,
    args: ['--input-type=module', '-e', editor],
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', ACP_TEST_NODE: process.execPath },
  });
}

const printAgent = `
  const agent = spawnAgent(nodeCommand(${JSON.stringify(program)}, ['--acp']));
  agent.listen({ onMessage: (message) => console.log(JSON.stringify(message)), onDiagnostic() {}, onActivity() {} });
  agent.ended.then(({ exit }) => exit.exitCode && console.error(exit.stderrTail));`;

describe('an editor in the program of Electron', () => {
  test('starts an agent with it that passes nothing on', async () => {
    const electron = electronProgram();
    const { argv, env, started } = await printedBy(printAgent, electron);
    expect(argv.slice(1)).toEqual([program, '--acp']);
    expect([env, started].map(electronVariables)).toEqual([[], []]);
  });

  const bundle = '/tmp/.mount_acp1';
  test.each([
    ['the others', `${bundle}/usr/lib:/opt/lib`, '/opt/lib'],
    ['none', `${bundle}/usr/lib:`, undefined],
  ])(
    'loads the libraries of its AppImage for the agent, whose programs get %s',
    async (_what, all, others) => {
      const appImage = { APPIMAGE: '/opt/editor.AppImage', APPDIR: bundle, LD_LIBRARY_PATH: all };
      const electron = electronProgram(`${bundle}/usr/lib`);
      const printed = await printedBy(printAgent, electron, appImage);
      for (const { LD_LIBRARY_PATH, APPIMAGE } of [printed.env, printed.started]) {
        expect([LD_LIBRARY_PATH, APPIMAGE]).toEqual([others, undefined]);
      }
    },
  );

  test('runs a turn with the demo agent', async () => {
    const turn = `
      const connection = await connect(spawnAgent(demoAgentCommand()), { clientInfo: { name: 'a', version: '1' } });
      const session = await connection.newSession({ cwd: '/home/ada' });
      const { stopReason } = await session.prompt('Hello.');
      await connection.close();
      console.log(JSON.stringify({ stopReason }));`;
    expect(await printedBy(turn, electronProgram())).toEqual({ stopReason: 'end_turn' });
  });
});
