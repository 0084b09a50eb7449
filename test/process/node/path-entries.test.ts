import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { AuthMethod } from '../../../src/core/protocol/dialect.ts';
import { loginInTerminal, terminalLoginCommand } from '../../../src/node/terminals/terminal-login.ts';
import { nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';

const command = 'tool-of-the-test';
const method: AuthMethod = { methodId: 'tty', name: 'Terminal', description: null, type: 'terminal' };

/** A program that exits with a code. */
function writeProgram(directory: string, exitCode: number): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, command), `#!/bin/sh\nexit ${exitCode}\n`);
  chmodSync(join(directory, command), 0o755);
}

/** A cloned repository that has a program at each place that a relative entry of PATH can name, and an installed program. */
const base = sharedFolder();
const cwd = join(base, 'clones', 'project');
const installed = join(base, 'installed');
for (const place of [cwd, join(cwd, 'bin'), join(cwd, '..'), join(cwd, 'node_modules/.bin')])
  writeProgram(place, 7);
writeProgram(installed, 3);

interface Start {
  readonly command: string;
  readonly cwd: string;
  readonly env: { readonly PATH: string };
}

/** Each way in which a name becomes a program. It returns the exit code, or what the error says. */
const ways: Readonly<Record<string, (start: Start) => Promise<number | string | null | undefined>>> = {
  async spawnAgent(start) {
    const { exit, error } = await spawnAgent(start).ended;
    return exit ? exit.exitCode : error?.message;
  },
  async nodeTerminals({ env, ...request }) {
    await using terminals = nodeTerminals({ env });
    try {
      const { terminalId } = await terminals.create(request);
      return (await terminals.waitForExit({ terminalId })).exitCode;
    } catch (error) {
      return String(error);
    }
  },
  loginInTerminal: (start) =>
    loginInTerminal(start, method).then(
      () => 0,
      (error) => error.exitCode ?? error.message,
    ),
  async terminalLoginCommand(start) {
    const found = terminalLoginCommand(start, method).command;
    return found === join(installed, command) ? 3 : found;
  },
};

/** PATH with an entry that is empty or relative, before, between and after absolute ones. */
const entries = ['', '.', './', 'bin', './bin', '..', 'node_modules/.bin', '../project'];
const paths = entries.flatMap((entry) => [
  `${entry}:/usr/bin:/bin`,
  `/usr/bin:${entry}:/bin`,
  `/usr/bin:/bin:${entry}`,
]);

describe.skipIf(process.platform === 'win32').each(Object.entries(ways))('%s', (_, start) => {
  test.each(paths)(
    '[security: program-names] finds nothing in a relative entry of PATH: "%s"',
    async (PATH) => {
      expect(await start({ command, cwd, env: { PATH } })).toSatisfy(
        (found) => found === command || String(found).includes(`Could not start "${command}"`),
      );
    },
  );

  test.each(entries)(
    '[security: program-names] finds the installed program after the entry "%s"',
    async (entry) => {
      expect(await start({ command, cwd, env: { PATH: `${entry}:${installed}` } })).toBe(3);
    },
  );
});

test.skipIf(process.platform === 'win32')(
  'the error names a relative entry that has the program',
  async () => {
    const { error } = await spawnAgent({ command, cwd, env: { PATH: '/usr/bin:bin' } }).ended;
    expect(error?.message).toBe(
      `Could not start "${command}": it is only in "bin" of PATH, which is not searched because it is not absolute. Give its full path if you trust it.`,
    );
  },
);

test.skipIf(process.platform === 'win32')(
  'a program sees the name by which it was started, and PATH as it was given',
  async () => {
    const PATH = `.:${installed}:/usr/bin:/bin`;
    await using terminals = nodeTerminals({ env: { PATH } });
    const { terminalId } = await terminals.create({ command: 'sh', args: ['-c', 'echo "$0 $PATH"'], cwd });
    await terminals.waitForExit({ terminalId });
    expect((await terminals.output({ terminalId })).output).toBe(`sh ${PATH}\n`);
  },
);
