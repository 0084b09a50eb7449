import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesOfShell } from '../../../../src/node/login-shell/login-shell-changes.ts';
import {
  loginShell,
  markLines,
  printers,
  shellArguments,
} from '../../../../src/node/login-shell/login-shell-command.ts';
import {
  maxNoiseBytes,
  type OutputState,
  outputReader,
} from '../../../../src/node/login-shell/login-shell-output.ts';
import { runs } from '../../../support/runs.ts';

/** A PATH of these directories. */
const path = (...directories: readonly string[]) => directories.join(delimiter);
const changes = (variables: Readonly<Record<string, string>>, base: Readonly<Record<string, string>>) =>
  changesOfShell(new Map(Object.entries(variables)), base);

describe('the changes of a login shell', () => {
  test('are the variables that are new or have another value', () => {
    const shell = { NEW: '1', EMPTY: '', SAME: 'a', OTHER: 'b', constructor: 'c' };
    expect(changes(shell, { SAME: 'a', OTHER: 'a', ONLY_HERE: 'x' })).toEqual({
      NEW: '1',
      EMPTY: '',
      OTHER: 'b',
      constructor: 'c',
    });
  });

  test('do not contain what describes the run of the shell', () => {
    const run = ['_', 'PWD', 'OLDPWD', 'SHLVL', 'TERM', 'COLUMNS', 'LINES', 'GPG_TTY', 'ACP_CLIENT_START'];
    const signs = ['VSCODE_RESOLVING_ENVIRONMENT', 'DISABLE_AUTO_UPDATE', 'ZSH_TMUX_AUTOSTARTED'];
    expect(changes(Object.fromEntries([...run, ...signs].map((name) => [name, 'x'])), {})).toEqual({});
  });

  test('have the directories of both PATHs, each once, without empty entries', () => {
    const shell = path('/shell', '', '/usr/bin', '/shell', '/bin');
    const base = path('/bin', '/base', '', '/usr/bin');
    expect(changes({ PATH: shell }, { PATH: base })).toEqual({
      PATH: path('/shell', '/usr/bin', '/bin', '/base'),
    });
    expect(changes({ PATH: '/shell' }, {})).toEqual({ PATH: '/shell' });
    expect(changes({ PATH: base }, { PATH: base })).toEqual({});
    expect(changes({}, { PATH: base })).toEqual({});
    expect(changes({ PATH: '' }, { PATH: '/base' })).toEqual({});
    expect(changes({ PATH: path('/a', '/b') }, { PATH: path('/a', '/b', '/c') })).toEqual({});
  });
});

const mark = '0b1c';
const [first, second, last] = markLines(mark);

/** The state after the whole output, which comes in chunks of a length. */
function read(output: string | Buffer, chunkLength = Number.POSITIVE_INFINITY): OutputState {
  const bytes = Buffer.from(output);
  const reader = outputReader(mark);
  let state: OutputState = 'incomplete';
  for (let start = 0; start < bytes.length && state === 'incomplete'; start += chunkLength) {
    state = reader(bytes.subarray(start, start + chunkLength));
  }
  return state;
}

const printed = (copy: string, other = copy) => `${first}${copy}${second}${other}${last}`;

test('variables are found between the marks, in chunks of any length and after any text', () => {
  const names = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/).filter((name) => name !== '__proto__');
  const texts = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
  fc.assert(
    fc.property(
      fc.dictionary(names, texts, { minKeys: 1 }),
      fc.uint8Array(),
      fc.integer({ min: 1, max: 50 }),
      (variables, noise, chunkLength) => {
        const copy = Object.entries(variables).map(([name, value]) => `${name}=${value}\0`);
        const output = Buffer.concat([noise, Buffer.from(`${printed(copy.join(''))}noise`)]);
        const state = read(output, chunkLength);
        expect(state).toEqual(new Map(Object.entries(variables)));
      },
    ),
    { numRuns: runs(40) },
  );
});

test('names that not every shell can use, and values that are not UTF-8, are left out', () => {
  const copy = ['A=1', '=x', 'B', '1A=x', 'BASH_FUNC_f%%=() { :; }', '__proto__=x', 'constructor=c', 'Z=a=b'];
  expect(read(printed(copy.map((record) => `${record}\0`).join('')))).toEqual(
    new Map([
      ['A', '1'],
      ['constructor', 'c'],
      ['Z', 'a=b'],
    ]),
  );
  const bytes = Buffer.from('BAD=\xff\0GOOD=1\0', 'latin1');
  const output = [first, bytes, second, bytes, last, 'noise'].map((part) => Buffer.from(part));
  expect(read(Buffer.concat(output))).toEqual(new Map([['GOOD', '1']]));
});

test('two copies that differ are damaged', () => {
  expect(read(printed('A=1\0', 'A=2\0'))).toBe('damaged');
  expect(read(printed('A=1\0', ''))).toBe('damaged');
  expect(read(printed('A=1\0noise', 'A=1\0noise'))).toBe('damaged');
  expect(read(printed(''))).toBe('damaged');
  expect(read(`${first}A=1\0${last}`)).toBe('damaged');
});

test('a part of the output is incomplete', () => {
  const output = printed('A=1\0');
  for (let length = 1; length < output.length; length++) {
    expect(read(output.slice(0, length))).toBe('incomplete');
  }
});

test('the text before and between the marks is limited', () => {
  const chunk = Buffer.alloc(4 * 1024 * 1024, 'noise');
  const beforeMarks = outputReader(mark);
  for (let bytes = 0; bytes < maxNoiseBytes; bytes += chunk.length) {
    expect(beforeMarks(chunk)).toBe('incomplete');
  }
  expect(beforeMarks(chunk)).toBe('too long');
  const betweenMarks = outputReader(mark);
  expect(betweenMarks(Buffer.from(first))).toBe('incomplete');
  expect(betweenMarks(chunk)).toBe('incomplete');
  expect(betweenMarks(chunk.subarray(first.length))).toBe('incomplete');
  expect(betweenMarks(chunk.subarray(0, 1))).toBe('too long');
});

test.skipIf(process.platform === 'win32').each(printers)('%s prints the environment', (printer) => {
  const [program = ''] = printer.split(' ');
  // Not every system has all of them: one is enough.
  if (!existsSync(program)) return;
  const env = { A: '1\n2', EMPTY: '', C: 'a=b "ü"' };
  const copy = execFileSync('/bin/sh', ['-c', printer], { env, encoding: 'utf8' });
  const state = read(printed(copy));
  expect(state).toBeInstanceOf(Map);
  expect([...(state as Map<string, string>)].filter(([name]) => name in env)).toHaveLength(3);
  expect(Object.fromEntries(state as Map<string, string>)).toMatchObject(env);
});

test('the command line has no characters that shells replace differently', () => {
  const [command = ''] = shellArguments('/bin/bash', mark).slice(-1);
  expect(command).toMatch(/^\/bin\/sh -c '[^'$!\\\n`{}]*'$/);
});

test('the shell is that of SHELL if this is an absolute path, and otherwise that of the account', () => {
  const { shell } = userInfo();
  expect(loginShell({ SHELL: '/opt/shell' })).toBe('/opt/shell');
  for (const SHELL of [undefined, '', 'shell', './shell'])
    expect(loginShell({ SHELL })).toBe(shell || '/bin/sh');
});

test('each shell gets the arguments that it knows', () => {
  const argumentsOf = (shell: string) => shellArguments(shell, mark).slice(0, -1);
  expect(argumentsOf('/usr/bin/fish')).toEqual(['-i', '-l', '-c']);
  expect(argumentsOf('/opt/unknown')).toEqual(['-i', '-l', '-c']);
  for (const shell of ['/bin/csh', '/bin/tcsh']) expect(argumentsOf(shell)).toEqual(['-i', '-c']);
  for (const shell of ['/opt/pwsh', '/opt/pwsh-preview'])
    expect(argumentsOf(shell)).toEqual(['-Login', '-Command']);
});
