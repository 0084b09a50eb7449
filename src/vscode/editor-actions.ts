import { ConnectionStateError } from '../base/errors.ts';
import type { ContentBlockInput } from '../model/content.ts';
import type { PanelDiff, PanelEditor, PanelLocation } from '../panel/options.ts';
import type { AuthMethod } from '../protocol/dialect.ts';
import type { VsCode, VsCodeUri } from './api.ts';
import { chooseAttachments } from './attachments.ts';
import { nameOf } from './workspace.ts';

/** The program of a login, as `terminalLoginCommand` of `acp-client-sdk/node` returns it. */
export interface TerminalLogin {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Options of {@link editorActions}. */
export interface EditorActionsOptions {
  /** `(method) => terminalLoginCommand(command, method)`. Default: logins in a terminal are not offered. */
  readonly terminalLogin?: ((method: AuthMethod) => TerminalLogin) | undefined;
  /** Whether the agent takes images. Called for each choice. Otherwise they are attached as links. Default: it does. */
  readonly takesImages?: (() => boolean) | undefined;
}

/** The `editor` of `servePanel`. Dispose of it with the extension. */
export interface EditorActions extends PanelEditor {
  readonly openLocation: (location: PanelLocation) => Promise<void>;
  readonly openDiff: (diff: PanelDiff) => Promise<void>;
  readonly openLink: (url: string) => Promise<void>;
  readonly chooseAttachments: () => Promise<readonly ContentBlockInput[]>;
  /** Removes the texts of the diffs. */
  dispose(): void;
}

/**
 * What a panel can ask VS Code to do: open a file at a line, compare the texts of a diff, open a page in the browser,
 * choose files of the workspace as attachments, and log in in a terminal.
 *
 * @param vscode - The module `vscode`.
 *
 * @example
 * ```ts
 * const agent = agentProcess(vscode, spawnAgent, { command: 'some-agent' });
 * const editor = editorActions(vscode);
 * const panel = servePanel({
 *   agent: agent.start,
 *   connect: { clientInfo },
 *   workspace: () => workspaceSession(vscode),
 *   editor,
 * });
 * ```
 */
export function editorActions(vscode: VsCode, options: EditorActionsOptions = {}): EditorActions {
  const { terminalLogin, takesImages = () => true } = options;
  const texts = new ShownTexts(vscode);
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
    ...(terminalLogin && {
      loginInTerminal: (method: AuthMethod) => logInInTerminal(vscode, method, terminalLogin(method)),
    }),
    dispose: () => texts.dispose(),
  };
}

const scheme = 'acp-client-sdk-diff';
/** How many texts are kept for editors that are still open. */
const maxTexts = 100;

/** Texts of the agent that VS Code shows as documents that cannot be changed. */
class ShownTexts {
  readonly #texts = new Map<string, string>();
  readonly #registration: { dispose(): unknown };
  #count = 0;

  constructor(vscode: VsCode) {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, {
      provideTextDocumentContent: ({ query }) => this.#texts.get(query),
    });
  }

  /** The address of a text, with the path of its file, so that VS Code knows its language. */
  add(file: VsCodeUri, text: string): VsCodeUri {
    const query = `${++this.#count}-${crypto.randomUUID()}`;
    this.#texts.set(query, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > maxTexts && oldest !== undefined) this.#texts.delete(oldest);
    return file.with({ scheme, query });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#texts.clear();
  }
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
