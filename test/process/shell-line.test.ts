import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Shell, shellLine } from '../../src/core/base/shell-line.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive, programPath } from './node/processes.ts';

const special = [
  ...' \t!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  ...[
    '',
    'a',
    '-n',
    '--x=1',
    '~',
    '~root',
    '$HOME',
    '$(echo run)',
    '`echo run`',
    '<(echo run)',
    '*',
    '{a,b}',
    '!!',
  ],
  ...['#c', 'a=b', '=ls', 'é 😀', '\\', '\\\\', "it's", '%PATH%', '\u2018;id\u2019', 'C:\\a b\\'],
];

const words = fc.array(fc.string({ unit: fc.constantFrom(...special), maxLength: 4 }), { maxLength: 5 });

/** What a program gets from a line, in one of the shells of this machine. */
function argumentsIn(shell: string, line: string): readonly string[] {
  return JSON.parse(
    execFileSync(shell, ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

const printing = 'console.log(JSON.stringify([...process.argv.slice(1), process.env.A_NAME]))';
const shells = ['/bin/sh', '/bin/bash', '/bin/dash', '/usr/bin/zsh', '/usr/bin/mksh'].filter((path) =>
  existsSync(path),
);

describe.skipIf(process.platform === 'win32')('a line for a POSIX shell', () => {
  test.each(shells)('[security: shell-line] brings each argument and variable as it is: %s', (shell) => {
    const given = [...special, ...fc.sample(words, { seed: 1, numRuns: 20 }).flat()];
    const line = shellLine('posix', {
      words: [process.execPath, '-e', printing, '--', ...given],
      env: { A_NAME: special.join('') },
    });
    expect(line).toBeDefined();
    expect(argumentsIn(shell, line ?? '')).toEqual([...given, special.join('')]);
  });
});

// biome-ignore format: one row each
test.each<readonly [Shell, string, string | undefined]>([
  ['powershell', 'plain.txt', 'plain.txt'], ['powershell', '$env:X', "'$env:X'"], ['powershell', '$(id)', "'$(id)'"],
  ['powershell', "it's", "'it''s'"], ['powershell', '\u2018;id;\u2019', "'\u2018\u2018;id;\u2019\u2019'"],
  ['powershell', '--%', "'--%'"], ['powershell', '-a.b', "'-a.b'"], ['powershell', 'a b', "'a b'"],
  ['powershell', 'a`b', "'a`b'"], ['powershell', '@x', "'@x'"], ['powershell', 'C:\\a\\', 'C:\\a\\'],
  ['powershell', 'a"b', undefined], ['powershell', '', undefined], ['powershell', 'a b\\', undefined],
  ['powershell', 'a\nb', undefined],
  ['cmd', 'a b', '"a b"'], ['cmd', 'a&b', '"a&b"'], ['cmd', 'a^b', '"a^b"'], ['cmd', '', '""'],
  ['cmd', 'C:\\a b\\', '"C:\\a b\\\\"'], ['cmd', 'C:\\a\\', 'C:\\a\\'], ['cmd', '%PATH%', undefined],
  ['cmd', 'a!b', undefined], ['cmd', 'a"b', undefined], ['cmd', 'a\rb', undefined],
  ['posix', 'a\nb', undefined], ['posix', 'a\0b', undefined],
])('[security: shell-line] for %s, the argument %j is %j', (shell, word, written) => {
  const line = shellLine(shell, { words: ['agent', word], env: {} });
  expect(line).toBe(written === undefined ? undefined : `agent ${written}`);
});

test('a program whose path has a space is called, and one that looks like an assignment is quoted', () => {
  const of = (shell: Shell, program: string) => shellLine(shell, { words: [program, 'x'], env: {} });
  expect(of('powershell', 'C:\\a b\\agent.exe')).toBe("& 'C:\\a b\\agent.exe' x");
  expect(of('cmd', 'C:\\a b\\agent.exe')).toBe('"C:\\a b\\agent.exe" x');
  expect(of('posix', 'A=b')).toBe("'A=b' x");
});

const ends: Readonly<Record<string, (worker: ChildProcess) => void>> = {
  'is ended by SIGKILL': (worker) => worker.kill('SIGKILL'),
  'has lost its runner': (worker) => worker.disconnect(),
};

test.skipIf(process.platform === 'win32').each(Object.entries(ends))(
  'a program that a test starts ends with a worker of the tests that %s',
  async (_, end) => {
    const worker = fork(programPath('test-worker.mjs'));
    const [pids] = (await once(worker, 'message')) as [number[]];
    expect(pids.map(isAlive)).toEqual([true, true]);
    end(worker);
    await eventually(() => pids.some(isAlive)).toBe(false);
  },
);
