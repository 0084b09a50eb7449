import { describe, expect, test } from 'vitest';
import {
  editorEnvironment,
  removedVariables,
  savedVariables,
  withoutEditorVariables,
} from '../../../../src/node/environment/editor-variables.ts';

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
