import { delimiter } from 'node:path';
import { expect, test } from 'vitest';
import { changesOfShell } from '../../../../src/node/environment/login-shell-changes.ts';

/** A PATH of these directories. */
const path = (...directories: readonly string[]) => directories.join(delimiter);
const changes = (variables: Readonly<Record<string, string>>, base: Readonly<Record<string, string>>) =>
  changesOfShell(new Map(Object.entries(variables)), base);

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
