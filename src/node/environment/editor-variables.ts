import { oneOf } from '../../core/base/options.ts';
import { mergeEnvironment, type Variables } from './merge.ts';

interface RemovedVariables {
  /** Names. `*` at the end stands for any characters. */
  readonly names: readonly string[];
  readonly except?: readonly string[];
  /** Without this variable, the names are the user's own, and stay. */
  readonly onlyWith?: string;
}

/**
 * Variables that are removed. The comment of each entry is its reason and its source. The table in
 * docs/starting-agents.md has them too.
 */
export const removedVariables: readonly RemovedVariables[] = [
  // Settings of Electron. With `ELECTRON_RUN_AS_NODE`, each Electron application that the agent starts runs as Node.
  // https://www.electronjs.org/docs/latest/api/environment-variables
  { names: ['ELECTRON_*'] },
  // The editor's desktop file. Browsers and Electron applications that the agent starts would use its name.
  // https://github.com/electron/electron/blob/main/shell/browser/api/electron_api_app.cc
  { names: ['CHROME_DESKTOP'] },
  // State of one process of VS Code. VS Code itself also keeps the exceptions.
  // https://github.com/microsoft/vscode/blob/main/src/vs/base/common/processes.ts
  {
    names: ['VSCODE_*'],
    except: [
      'VSCODE_PORTABLE*',
      'VSCODE_SHELL_LOGIN*',
      'VSCODE_ENV_REPLACE*',
      'VSCODE_ENV_APPEND*',
      'VSCODE_ENV_PREPEND*',
    ],
  },
  // A script of VS Code that Git runs to ask for a password. It needs the variables of VS Code.
  // https://github.com/microsoft/vscode/blob/main/extensions/git/src/askpass.ts
  { names: ['GIT_ASKPASS'], onlyWith: 'VSCODE_GIT_ASKPASS_MAIN' },
  // The description of the snap in which the editor is. Programs outside of it are not in this snap.
  // https://snapcraft.io/docs/environment-variables
  { names: ['SNAP', 'SNAP_*'] },
  // The image loaders of the editor's snap, with which GTK programs of the system crash.
  // https://github.com/microsoft/vscode/pull/109608
  { names: ['GDK_PIXBUF_*'] },
  // The [description](https://docs.appimage.org/packaging-guide/environment-variables.html) of the AppImage in which
  // the editor is. zsh starts each program under the name in `ARGV0`.
  // https://github.com/AppImage/AppImageKit/issues/852
  { names: ['APPIMAGE', 'APPDIR', 'ARGV0', 'OWD'], onlyWith: 'APPIMAGE' },
  // Notes of the launcher of an AppImage about the changes that it made.
  // https://github.com/AppImageCrafters/AppRun
  { names: ['APPIMAGE_STARTUP_*', 'APPRUN_STARTUP_*'] },
];

interface SavedVariable {
  /** The name of the variable with the original value. `*` stands for a name. */
  readonly saved: string;
  /** The variable that gets this value. `*` is what it stands for in `saved`. */
  readonly original: string;
  /** Whether the variable did not exist, or nothing is known of it, if the original value is empty. */
  readonly whenEmpty: 'remove' | 'keep';
}

/**
 * Variables in which a launcher keeps what another variable was before it changed that. They are removed, and the other
 * one gets this value again. The comments are used as those of the removed variables.
 */
export const savedVariables: readonly SavedVariable[] = [
  // The snap of VS Code changes `GTK_PATH`, `XDG_DATA_DIRS` and others. With them, programs of the system load
  // libraries of the snap and crash.
  // https://github.com/microsoft/vscode/pull/185834
  { saved: '*_VSCODE_SNAP_ORIG', original: '*', whenEmpty: 'remove' },
  // Some launchers of AppImages save what they change.
  // https://github.com/AppImageCrafters/AppRun
  { saved: 'APPIMAGE_ORIGINAL_*', original: '*', whenEmpty: 'remove' },
  // Some launchers of AppImages save what they change.
  // https://github.com/AppImageCrafters/AppRun
  { saved: 'APPRUN_ORIGINAL_*', original: '*', whenEmpty: 'remove' },
  // Electron on Linux changes the name of the desktop for its own use, and programs then take it for another desktop.
  // https://github.com/electron/electron/issues/47414
  { saved: 'ORIGINAL_XDG_CURRENT_DESKTOP', original: 'XDG_CURRENT_DESKTOP', whenEmpty: 'remove' },
  // The command `code` on macOS moves it out of the way, because Electron ignores it and writes a warning.
  // https://github.com/microsoft/vscode/pull/204682
  { saved: 'VSCODE_NODE_OPTIONS', original: 'NODE_OPTIONS', whenEmpty: 'keep' },
  // As `VSCODE_NODE_OPTIONS`.
  // https://github.com/microsoft/vscode/pull/204682
  { saved: 'VSCODE_NODE_REPL_EXTERNAL_MODULE', original: 'NODE_REPL_EXTERNAL_MODULE', whenEmpty: 'keep' },
];

/**
 * Returns a copy of `env` without the variables of the editor's own runtime: those of Electron and VS Code, and of
 * the snap or AppImage in which the editor is. What one of these changed gets its original value, if that was saved. In
 * an AppImage, lists of paths lose their entries within it. The page on starting agents has the complete list.
 *
 * `spawnAgent`, `nodeTerminals`, `loginInTerminal` and `terminalLoginCommand` do this with the environment of this
 * process. Call this function for programs that you start yourself.
 *
 * @param env - Default: the environment of this process.
 *
 * @example
 * ```ts
 * const child = spawn('git', ['status'], { cwd, env: editorEnvironment() });
 * ```
 */
export function editorEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  return withoutEditorVariables(env);
}

/** What a program that is started gets of the environment of this process. */
export interface InheritedEnvironment {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly editorVariables?: 'remove' | 'keep' | undefined;
}

export const editorVariablesOption = oneOf('remove', 'keep');

/** The environment of this process, mostly without the editor's own variables, and then the changes in `env`. */
export function inheritedEnvironment({ env = {}, editorVariables }: InheritedEnvironment) {
  const inherited = editorVariables === 'keep' ? process.env : withoutEditorVariables(process.env);
  return mergeEnvironment(inherited, env);
}

/** {@link editorEnvironment} on any platform. */
export function withoutEditorVariables(env: Variables, platform = process.platform): Record<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    // Names of variables have no case on Windows.
    if (value !== undefined) given.set(platform === 'win32' ? name.toUpperCase() : name, value);
  }
  return mergeEnvironment(env, Object.fromEntries(changesOf(given)), platform);
}

/** What changes, by name. `undefined` removes a variable. */
function changesOf(given: ReadonlyMap<string, string>): ReadonlyMap<string, string | undefined> {
  const changes = new Map<string, string | undefined>();
  const folder = appImageFolder(given);
  if (folder !== undefined) {
    for (const [name, value] of given) {
      const entries = value.split(':');
      const others = entries.filter((entry) => entry !== folder && !entry.startsWith(`${folder}/`));
      if (others.length === entries.length) continue;
      // An empty path would be the working directory; launchers leave one where there was no list.
      changes.set(name, others.filter(Boolean).join(':') || undefined);
    }
  }
  for (const { names, except = [], onlyWith } of removedVariables) {
    if (onlyWith !== undefined && !given.has(onlyWith)) continue;
    for (const name of given.keys()) {
      if (isOneOf(names, name) && !isOneOf(except, name)) changes.set(name, undefined);
    }
  }
  for (const { saved, original, whenEmpty } of savedVariables) {
    for (const [name, value] of given) {
      const word = wordIn(name, saved);
      if (word === undefined) continue;
      changes.set(name, undefined);
      // Electron saves a variable that does not exist as the text "undefined".
      const isEmpty = value === '' || value === 'undefined';
      if (isEmpty && whenEmpty === 'keep') continue;
      changes.set(
        original.replace('*', () => word),
        isEmpty ? undefined : value,
      );
    }
  }
  return changes;
}

/**
 * The directory of the AppImage in which this process is. Its launcher puts directories within it first in lists of
 * paths, and programs of the system then load libraries of the AppImage. Without `APPIMAGE`, `APPDIR` is the user's
 * own.
 *
 * https://github.com/AppImage/AppImageKit/blob/master/src/AppRun.c
 */
function appImageFolder(given: ReadonlyMap<string, string>): string | undefined {
  const folder = given.get('APPDIR')?.replace(/(?<!\/)\/+$/, '');
  return given.has('APPIMAGE') && folder?.startsWith('/') ? folder : undefined;
}

function isOneOf(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** What `*` stands for if `name` matches `pattern`. Without `*`, this is empty. */
function wordIn(name: string, pattern: string): string | undefined {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return name === pattern ? '' : undefined;
  const word = name.slice(before.length, name.length - after.length);
  return word !== '' && name === before + word + after ? word : undefined;
}
