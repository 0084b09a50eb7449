import { ConnectionStateError } from '../../core/base/errors.ts';
import * as rpcCodes from '../../core/rpc/codes.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { PanelProblem } from '../panel/state.ts';
import type { VsCode, VsCodeUri } from './api.ts';

/** The directories of a session, as `newSession` and `servePanel` take them. */
export interface WorkspaceSession {
  /** Absolute. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

/**
 * The directories of the workspace for a new session: the first one is the working directory. If directories on disk
 * and virtual ones are open, only those on disk count. Call it for each session: the directories change.
 *
 * @param vscode - The module `vscode`.
 * @throws {@link ConnectionStateError} if no directory is open, and there is no `homeDirectory`.
 *
 * @example
 * ```ts
 * const session = await connection.newSession(workspaceSession(vscode));
 * ```
 */
export function workspaceSession(
  vscode: VsCode,
  options: {
    /**
     * The directory of a session without an open directory: `os.homedir()`. Default: an error that says to open a
     * directory.
     */
    readonly homeDirectory?: string | undefined;
  } = {},
): WorkspaceSession {
  const all = foldersOf(vscode);
  const onDisk = all.filter(isOnDisk);
  const folders = onDisk.length > 0 ? onDisk : all;
  const [cwd = options.homeDirectory, ...additionalDirectories] = folders.map(pathOf);
  if (cwd === undefined) throw withRemedy('openFolder', noFolder(vscode));
  return { cwd, additionalDirectories };
}

/** The directories of the workspace. */
export function foldersOf({ workspace }: VsCode): readonly VsCodeUri[] {
  return (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
}

/** Whether a directory is on the disk of the extension's machine. */
export function isOnDisk({ scheme }: VsCodeUri): boolean {
  return scheme === 'file';
}

/** The path by which an agent knows a directory or a file. */
export function pathOf(uri: VsCodeUri): string {
  return isOnDisk(uri) ? uri.fsPath : uri.path;
}

/** The last name of a path. */
export function nameOf({ path }: VsCodeUri): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** What keeps the agent from working, for the user. */
function noFolder({ workspace: { workspaceFile } }: VsCode): string {
  if (workspaceFile === undefined) {
    return 'No folder is open, so the agent has no directory to work in. Open a folder, then try again.';
  }
  // VS Code sometimes opens a workspace without its folders, and has them after the window was loaded again.
  return `The workspace ${nameOf(workspaceFile)} has no folder, so the agent has no directory to work in. It starts when the workspace has one. Add a folder, or run "Developer: Reload Window" if the workspace has folders.`;
}

/** An error that says what the user can do with an action of the panel. */
function withRemedy(remedy: PanelProblem['remedy'], message: string): ConnectionStateError {
  return Object.assign(new ConnectionStateError(message), { remedy });
}

const risk = 'an agent runs programs and changes files';
const manageTrust = 'To trust it, run the command "Workspaces: Manage Workspace Trust".';

/** Throws if an agent must not be started in this workspace. */
export function assertCanRun(vscode: VsCode): void {
  if (!vscode.workspace.isTrusted) {
    const message = `You have not trusted this workspace, and ${risk}. ${manageTrust} Nothing was started.`;
    throw withRemedy('manageTrust', message);
  }
  const folders = foldersOf(vscode);
  const [virtual] = folders;
  if (!virtual || folders.some(isOnDisk)) return;
  throw withRemedy(
    'openFolder',
    `The folder ${virtual.toString()} is not on disk, so no program can run in it. Open a folder on disk, then try again. Nothing was started.`,
  );
}

/** Throws the answer to the agent if the workspace is not trusted. */
export function assertTrusted({ workspace }: VsCode): void {
  if (workspace.isTrusted) return;
  throw new RequestError(
    rpcCodes.internalError,
    `The editor shares no files and runs no commands. The user has not trusted this workspace, and ${risk}. ${manageTrust}`,
  );
}
