import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, runHere, smallAgent, startCommand, watchProcesses } from './command-line.ts';
import { startInTerminal } from './real-terminal.ts';

beforeAll(buildPackage);

test('a command whose reader has ended ends at once with 0, and so does its agent', async () => {
  const { alive } = watchProcesses();
  const agent = smallAgent('talks-without-end');
  const { process: command, ended, shows } = await startCommand(['prompt', 'hi', ...agent]);
  await shows('word');
  command.stdout.destroy();
  expect((await ended).code).toBe(0);
  await eventually(alive).toEqual([]);
});

test('--format jsonl prints an event before the turn ends', async () => {
  const agent = smallAgent('hangs-in-turn');
  const { process: command, shows } = await startCommand(['prompt', 'hi', '--format', 'jsonl', ...agent]);
  await shows('Let me think.');
  expect(command.exitCode).toBe(null);
});

test('--format answer prints only what the agent says last', async () => {
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const args = ['prompt', 'hello', '--format', 'answer', '--cwd', temporaryFolder(), ...agent];
  const { code, stdout } = await runHere(args);
  expect(code).toBe(0);
  expect(stdout).toContain('You wrote: “hello”.');
  expect(stdout).not.toMatch(/Thought|Agent\n|Session/);
});

describe.skipIf(process.platform === 'win32')('in a pipe of a shell', () => {
  test.each(['bash', 'sh'])(
    'of %s, head -1 ends the command at once with 0, and leaves no agent',
    async (shell) => {
      const { alive } = watchProcesses();
      const command = [process.execPath, join(await buildPackage(), 'cli.js'), 'prompt', 'slow'];
      const script = '{ "$@"; echo "code $?" >&2; } | head -1';
      const words = ['-c', script, shell, ...command, ...smallAgent('talks-without-end')];
      const { stdout, stderr } = await promisify(execFile)(shell, words);
      expect({ stdout, stderr }).toEqual({ stdout: 'Agent\n', stderr: 'code 0\n' });
      expect(alive()).toEqual([]);
    },
  );

  test('a terminal shows the first line, and nothing that moved', async () => {
    const program = join(await buildPackage(), 'cli.js');
    const command = [process.execPath, program, 'prompt', 'please count slowly'];
    const script = `"$@" | head -1; echo "codes \${PIPESTATUS[*]}"`;
    const agent = await demoAgent('v2-baseline', temporaryFolder());
    const terminal = startInTerminal(['bash', '-c', script, 'bash', ...command, ...agent], 40);
    expect(await terminal.ended).toBe(0);
    expect(terminal.rows()).toEqual(['Thought', 'codes 0 0']);
  });
});
