import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  editorEnvironment,
  removedVariables,
  savedVariables,
  withoutEditorVariables,
} from '../../../src/node/environment/editor-variables.ts';
import { mergeEnvironment } from '../../../src/node/environment/merge.ts';
import {
  loginShell,
  markLines,
  printers,
  shellArguments,
} from '../../../src/node/login-shell/login-shell-command.ts';
import {
  changesOfShell,
  maxNoiseBytes,
  type OutputState,
  outputReader,
} from '../../../src/node/login-shell/login-shell-output.ts';
import { runs } from '../../support/runs.ts';

type Variables = Readonly<Record<string, string>>;

/** The directory of an AppImage. */
const bundle = '/tmp/.mount_editorX1';
const appImage = { APPIMAGE: '/home/ada/editor.AppImage', APPDIR: bundle };

/** Variables that stay as they are. */
const staying = (what: string, given: Variables) => [what, given, given] as const;

const cases: readonly (readonly [what: string, given: Variables, left: Variables])[] = [
  [
    'those of Electron',
    { ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ATTACH_CONSOLE: '1', CHROME_DESKTOP: 'code.desktop' },
    {},
  ],
  staying('names that only begin in the same way', {
    ELECTRON: '1',
    CHROME_DESKTOPS: '2',
    MY_ELECTRON_X: '3',
  }),
  [
    'those of VS Code',
    { VSCODE_ESM_ENTRYPOINT: 'a', VSCODE_IPC_HOOK_CLI: 'b', VSCODE_PID: '4', VSCODE_GIT_IPC_HANDLE: 'c' },
    {},
  ],
  staying('those of VS Code that VS Code keeps', {
    VSCODE_PORTABLE: '/data',
    VSCODE_SHELL_LOGIN: '1',
    VSCODE_ENV_REPLACE: 'a',
    VSCODE_ENV_APPEND: 'b',
    VSCODE_ENV_PREPEND: 'c',
  }),
  [
    'the script of VS Code for passwords of Git',
    { GIT_ASKPASS: '/code/askpass.sh', VSCODE_GIT_ASKPASS_MAIN: '/code/askpass-main.js' },
    {},
  ],
  staying("the user's own script for passwords of Git", { GIT_ASKPASS: '/bin/ask' }),
  [
    'those of a snap',
    { SNAP: '/snap/code/160', SNAP_NAME: 'code', SNAP_USER_DATA: '/home/ada/snap/code/160', SNAPSHOT: '1' },
    { SNAPSHOT: '1' },
  ],
  [
    'image loaders of a snap',
    { GDK_PIXBUF_MODULE_FILE: '/snap/a', GDK_PIXBUF_MODULEDIR: '/snap/b', GDK_BACKEND: 'x11' },
    { GDK_BACKEND: 'x11' },
  ],
  [
    'what the snap of VS Code changed, with the value from before',
    {
      GTK_PATH: '/snap/code/160/usr/lib/gtk-3.0',
      GTK_PATH_VSCODE_SNAP_ORIG: '',
      XDG_DATA_DIRS: '/snap/code/160/usr/share:/usr/share',
      XDG_DATA_DIRS_VSCODE_SNAP_ORIG: '/usr/share',
      GDK_PIXBUF_MODULE_FILE: '/snap/a',
      GDK_PIXBUF_MODULE_FILE_VSCODE_SNAP_ORIG: '/usr/lib/a',
      _VSCODE_SNAP_ORIG: 'not one of them',
    },
    {
      XDG_DATA_DIRS: '/usr/share',
      GDK_PIXBUF_MODULE_FILE: '/usr/lib/a',
      _VSCODE_SNAP_ORIG: 'not one of them',
    },
  ],
  ['those of an AppImage', { ...appImage, ARGV0: './editor.AppImage', OWD: '/home/ada' }, {}],
  staying("the user's own variables with the names of an AppImage", {
    APPDIR: '/home/ada/app',
    ARGV0: 'a',
    OWD: 'b',
    PATH: '/home/ada/app/bin:/bin',
  }),
  [
    'the entries within an AppImage in lists of paths',
    {
      APPIMAGE: appImage.APPIMAGE,
      APPDIR: `${bundle}//`,
      PATH: `${bundle}:${bundle}/usr/sbin:/usr/bin:/bin`,
      LD_LIBRARY_PATH: `${bundle}/usr/lib:`,
      PERLLIB: `${bundle}/usr/lib:/opt/perl::`,
      XDG_DATA_DIRS: `${bundle}/usr/share/:/usr/share/:${bundle}2/share`,
      PYTHONHOME: `${bundle}/usr/`,
      NAME: `at ${bundle}`,
    },
    {
      PATH: '/usr/bin:/bin',
      PERLLIB: '/opt/perl',
      XDG_DATA_DIRS: `/usr/share/:${bundle}2/share`,
      NAME: `at ${bundle}`,
    },
  ],
  [
    'nothing of lists if the directory of the AppImage is not known',
    { APPIMAGE: '/editor.AppImage', APPDIR: '/', PATH: '/bin::/usr/bin' },
    { PATH: '/bin::/usr/bin' },
  ],
  [
    'nothing of lists if the AppImage has no directory',
    { APPIMAGE: '/editor.AppImage', PATH: '/bin::undefined/bin' },
    { PATH: '/bin::undefined/bin' },
  ],
  [
    'what the launcher of an AppImage changed, with the value from before',
    {
      ...appImage,
      PATH: `${bundle}/bin:/bin`,
      APPRUN_ORIGINAL_PATH: '/bin:/home/ada/bin',
      APPRUN_STARTUP_PATH: `${bundle}/bin:/bin`,
      LD_LIBRARY_PATH: '/lib/compatible',
      APPIMAGE_ORIGINAL_LD_LIBRARY_PATH: '',
      APPIMAGE_STARTUP_LD_LIBRARY_PATH: '/lib/compatible',
      APPIMAGE_EXTRACT_AND_RUN: '1',
    },
    { PATH: '/bin:/home/ada/bin', APPIMAGE_EXTRACT_AND_RUN: '1' },
  ],
  [
    'the desktop that Electron changed, with the value from before',
    { XDG_CURRENT_DESKTOP: 'Unity', ORIGINAL_XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' },
    { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' },
  ],
  [
    'the desktop that Electron made up',
    { XDG_CURRENT_DESKTOP: 'Unity', ORIGINAL_XDG_CURRENT_DESKTOP: 'undefined' },
    {},
  ],
  [
    'what the command code on macOS moved, with the value from before',
    {
      VSCODE_NODE_OPTIONS: '--max-old-space-size=4096',
      VSCODE_NODE_REPL_EXTERNAL_MODULE: '/repl.js',
    },
    { NODE_OPTIONS: '--max-old-space-size=4096', NODE_REPL_EXTERNAL_MODULE: '/repl.js' },
  ],
  [
    'nothing of what the command code on macOS did not find',
    { NODE_OPTIONS: '--no-warnings', VSCODE_NODE_OPTIONS: '', VSCODE_NODE_REPL_EXTERNAL_MODULE: '' },
    { NODE_OPTIONS: '--no-warnings' },
  ],
];

describe.each(['linux', 'darwin', 'win32'] as const)('on %s, editorEnvironment removes', (platform) => {
  test.each(cases)('%s', (_what, given, left) => {
    const shared = { HOME: '/home/ada', EMPTY: '' };
    expect(withoutEditorVariables({ ...shared, ...given }, platform)).toEqual({ ...shared, ...left });
  });
});

test('the cases have each name of the lists', () => {
  const names = cases.flatMap(([, given]) => Object.keys(given));
  const patterns = [
    ...removedVariables.flatMap((entry) => [...entry.names, ...(entry.except ?? [])]),
    ...savedVariables.map(({ saved }) => saved),
  ];
  const unused = patterns.filter((pattern) => {
    const [before = '', after = ''] = pattern.split('*');
    return !names.some((name) => name.startsWith(before) && name.endsWith(after));
  });
  expect(patterns.length).toBeGreaterThan(20);
  expect(unused).toEqual([]);
});

test('names have no case on Windows, and have one on other systems', () => {
  const given = {
    Electron_Run_As_Node: '1',
    Vscode_Node_Options: '2',
    vscode_portable: '3',
    Path: 'C:\\bin',
  };
  const left = { NODE_OPTIONS: '2', vscode_portable: '3', Path: 'C:\\bin' };
  expect(withoutEditorVariables(given, 'win32')).toEqual(left);
  expect(withoutEditorVariables(given, 'linux')).toEqual(given);
});

test('a restored variable replaces the changed one in any case on Windows', () => {
  const given = { Node_Options: '--inspect', VSCODE_NODE_OPTIONS: '--no-warnings' };
  expect(withoutEditorVariables(given, 'win32')).toEqual({ NODE_OPTIONS: '--no-warnings' });
});

test('editorEnvironment copies the environment of this process, or the one that is given', () => {
  const given = { ...appImage, KEY: 'a', GONE: undefined };
  expect(editorEnvironment(given)).toEqual({ KEY: 'a' });
  expect(given).toEqual({ ...appImage, KEY: 'a', GONE: undefined });
  Object.assign(process.env, { ELECTRON_ACP_TEST: '1', ACP_TEST_KEPT: '2' });
  try {
    const copy = editorEnvironment();
    expect(copy).toMatchObject({ ACP_TEST_KEPT: '2' });
    expect(copy).not.toHaveProperty('ELECTRON_ACP_TEST');
    copy['ACP_TEST_KEPT'] = '3';
    expect(process.env).toMatchObject({ ELECTRON_ACP_TEST: '1', ACP_TEST_KEPT: '2' });
  } finally {
    for (const name of ['ELECTRON_ACP_TEST', 'ACP_TEST_KEPT']) delete process.env[name];
  }
});

test('changes replace variables, and undefined removes one', () => {
  const base = { PATH: '/bin', KEY: 'old', GONE: 'x', UNSET: undefined };
  const changes = { KEY: 'new', GONE: undefined, ADDED: '' };
  expect(mergeEnvironment(base, changes, 'linux')).toEqual({ PATH: '/bin', KEY: 'new', ADDED: '' });
});

test('names that differ in case are one variable on Windows, and two on other systems', () => {
  expect(mergeEnvironment({ Path: 'a' }, { PATH: 'b' }, 'win32')).toEqual({ PATH: 'b' });
  expect(mergeEnvironment({ Path: 'a' }, { path: undefined }, 'win32')).toEqual({});
  expect(mergeEnvironment({ Path: 'a' }, { PATH: 'b' }, 'linux')).toEqual({ Path: 'a', PATH: 'b' });
});

test('a variable can have the name of a property of Object', () => {
  expect(Object.keys(mergeEnvironment({ ['__proto__']: 'a' }, {}, 'linux'))).toEqual(['__proto__']);
});

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
        expect(read(output, chunkLength)).toEqual(new Map(Object.entries(variables)));
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
