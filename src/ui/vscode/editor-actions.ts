import { ConnectionStateError } from '../../core/base/errors.ts';
import type { ContentBlockInput } from '../../core/model/content.ts';
import type { AuthMethod } from '../../core/protocol/dialect.ts';
import type { PanelAgent, PanelTerminalLogin } from '../panel/agent-choice.ts';
import type { PanelDiff, PanelEditor, PanelLocation } from '../panel/options.ts';
import type { VsCode, VsCodeUri } from './api.ts';
import { chooseAttachments } from './attachments.ts';
import { foldersOf, nameOf } from './workspace.ts';

/** The program of a login, as `terminalLoginCommand` of `acp-client-sdk/node` returns it. */
export type TerminalLogin = PanelTerminalLogin;

/** Options of {@link editorActions}. */
export interface EditorActionsOptions {
  /**
   * `(method) => terminalLoginCommand(command, method)`. `agent` is the one that the user has chosen from `agents`, if
   * the panel has several. Default: logins in a terminal are not offered.
   */
  readonly terminalLogin?: ((method: AuthMethod, agent?: PanelAgent) => TerminalLogin) | undefined;
  /** Whether the agent takes images. Called for each choice. Otherwise they are attached as links. Default: it does. */
  readonly takesImages?: (() => boolean) | undefined;
}

/** The `editor` of `servePanel`. Dispose of it with the extension. */
export interface EditorActions extends PanelEditor {
  readonly openLocation: (location: PanelLocation) => Promise<void>;
  readonly openDiff: (diff: PanelDiff) => Promise<void>;
  readonly openLink: (url: string) => Promise<void>;
  readonly chooseAttachments: () => Promise<readonly ContentBlockInput[]>;
  /** Lets the user open a directory, or add one to a workspace that has a file and no directory. */
  readonly openFolder: () => Promise<void>;
  /** Shows the page of VS Code on which the user trusts the workspace. */
  readonly manageTrust: () => Promise<void>;
  /**
   * Replaces the selection of the text editor that was active last.
   *
   * @throws {@link ConnectionStateError} if there is no text editor, or VS Code does not accept the change.
   */
  readonly insertText: (text: string) => Promise<void>;
  /** Removes the texts of the diffs. */
  dispose(): void;
}

/**
 * What a panel can ask VS Code to do: open a file at a line, compare the texts of a diff, open a page in the browser,
 * choose files of the workspace as attachments, insert a text at the cursor, open a directory, manage the trust of the
 * workspace, and log in in a terminal.
 *
 * @param vscode - The module `vscode`.
 *
 * @example
 * ```ts
 * const editor = editorActions(vscode);
 * const panel = servePanel({
 *   agent: () => spawnAgent({ command: 'some-agent' }),
 *   connect: { clientInfo },
 *   workspace: () => workspaceSession(vscode),
 *   editor,
 * });
 * ```
 */
export function editorActions(vscode: VsCode, options: EditorActionsOptions = {}): EditorActions {
  const { terminalLogin, takesImages = () => true } = options;
  const texts = shownTexts(vscode);
  return {
    async openLocation({ path, line }) {
      const row = (line ?? 1) - 1;
      const selection = new vscode.Range(row, 0, row, 0);
      await vscode.window.showTextDocument(vscode.Uri.file(path), line === null ? {} : { selection });
    },
    async openDiff({ path, oldText, newText, patch }) {
      const file = vscode.Uri.file(path);
      if (newText === null && patch) {
        const uri = texts.add(vscode.Uri.file(`${path}.patch`), patch.text);
        await vscode.window.showTextDocument(uri, { preview: true });
        return;
      }
      const before = texts.add(file, oldText ?? '');
      const after = texts.add(file, newText ?? '');
      const title = `${nameOf(file)} (proposed by the agent)`;
      await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
    },
    async openLink(url) {
      await vscode.env.openExternal(vscode.Uri.parse(url, true));
    },
    chooseAttachments: () => chooseAttachments(vscode, takesImages()),
    async openFolder() {
      const hasFile = vscode.workspace.workspaceFile !== undefined && foldersOf(vscode).length === 0;
      await vscode.commands.executeCommand(hasFile ? 'workbench.action.addRootFolder' : 'vscode.openFolder');
    },
    async manageTrust() {
      await vscode.commands.executeCommand('workbench.trust.manage');
    },
    insertText: (text) => insertText(vscode, text),
    ...(terminalLogin && {
      loginInTerminal: async (method: AuthMethod, agent?: PanelAgent) =>
        logInInTerminal(vscode, method, terminalLogin(method, agent)),
    }),
    dispose: texts.dispose,
  };
}

const scheme = 'acp-client-sdk-diff';
/** How many texts are kept for editors that are still open. */
const maxTexts = 100;

/** Texts of the agent that VS Code shows as documents that cannot be changed. */
function shownTexts(vscode: VsCode) {
  const texts = new Map<string, string>();
  const registration = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: ({ query }) => texts.get(query),
  });
  return {
    /** The address of a text, with the path of its file, so that VS Code knows its language. */
    add(file: VsCodeUri, text: string): VsCodeUri {
      const query = crypto.randomUUID();
      texts.set(query, text);
      const [oldest] = texts.keys();
      if (texts.size > maxTexts && oldest !== undefined) texts.delete(oldest);
      return file.with({ scheme, query });
    },
    dispose() {
      registration.dispose();
      texts.clear();
    },
  };
}

async function insertText(vscode: VsCode, text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new ConnectionStateError(
      'No text editor is open, so there is no cursor to insert the text at. Open a file, then try again.',
    );
  }
  const { uri } = editor.document;
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, editor.selection, text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new ConnectionStateError(
      `VS Code did not insert the text into ${nameOf(uri)}: it can be read-only. Choose another editor, then try again.`,
    );
  }
  await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
}

/** Resolves when the program has exited with code 0. */
function logInInTerminal(vscode: VsCode, { name }: AuthMethod, login: TerminalLogin): Promise<void> {
  const { command, args, cwd, env } = login;
  const terminal = vscode.window.createTerminal({
    name: `Login: ${name}`,
    shellPath: command,
    shellArgs: [...args],
    env: { ...env },
    strictEnv: true,
    ...(cwd !== undefined && { cwd }),
  });
  return new Promise((resolve, reject) => {
    const listener = vscode.window.onDidCloseTerminal((closed) => {
      if (closed !== terminal) return;
      listener.dispose();
      if (terminal.exitStatus?.code === 0) resolve();
      else {
        const message = `The login "${name}" did not succeed: its terminal was closed before the program exited with code 0. Try again, or choose another method.`;
        reject(new ConnectionStateError(message));
      }
    });
    terminal.show();
  });
}
