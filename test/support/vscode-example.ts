import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type * as vscode from 'vscode';
import type { HostMessage, WebviewMessage } from '../../docs/examples/vscode/src/messages.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A copy of the example with its packages, in a folder for temporary files. */
export async function installExample(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-vscode-'));
  await cp(join(root, 'docs/examples/vscode'), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  await mkdir(modules);
  await symlink(root, join(modules, 'acp-client-sdk'));
  for (const name of ['@types', 'esbuild', 'markdown-it', 'react', 'react-dom']) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  return folder;
}

/** Runs the build script of the example. */
export async function buildExample(folder: string): Promise<void> {
  await run(process.execPath, ['build.mjs'], { cwd: folder });
  // What the built file finds under the name `vscode`.
  const standIn = join(folder, 'dist/node_modules/vscode');
  await mkdir(standIn, { recursive: true });
  await writeFile(join(standIn, 'index.js'), 'module.exports = globalThis.vscodeStandIn;');
}

export async function removeExample(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** VS Code, as far as the example uses it. */
export interface Editor {
  /** Opens the view of the panel, or opens it again. */
  showView(view: View): void;
  /** Runs a command of the extension. */
  command(name: string): unknown;
  /** Changes the setting `agentPanel.command`. */
  configure(command: readonly string[]): void;
  /** The items of each quick pick. The first item is chosen. */
  readonly picks: (readonly { readonly label: string }[])[];
  /** Lines of the extension's log. */
  readonly log: string[];
  /** Ends the extension. */
  stop(): Promise<void>;
}

/** The webview of a view: its page, and where the messages of the host arrive. */
export interface View {
  readonly cspSource: string;
  asUrl(path: string): string;
  setHtml(html: string): void;
  receive(message: HostMessage): void;
  /** Set by the editor: sends a message to the host. */
  send?: (message: WebviewMessage) => void;
}

interface Options {
  readonly workspaceFolder: string;
  readonly command?: readonly string[];
}

type Listener<T> = (event: T) => unknown;

/** Loads the built extension with a stand-in for the API of VS Code, and activates it. */
export function startExtension(folder: string, { workspaceFolder, command = [] }: Options): Editor {
  let setting = command;
  let provider: vscode.WebviewViewProvider | undefined;
  const commands = new Map<string, () => unknown>();
  const configurationListeners: Listener<vscode.ConfigurationChangeEvent>[] = [];
  const picks: (readonly { readonly label: string }[])[] = [];
  const log: string[] = [];
  const disposable: vscode.Disposable = { dispose() {} };
  const writeLog = (line: string) => void log.push(line);
  const uri = (path: string) => ({ fsPath: path, toString: () => pathToFileURL(path).href }) as vscode.Uri;

  // The parts of the API that the example uses, with their real types.
  const api: {
    readonly Uri: Pick<typeof vscode.Uri, 'joinPath'>;
    readonly window: {
      createOutputChannel(
        name: string,
        options: { log: true },
      ): Pick<vscode.LogOutputChannel, 'info' | 'warn' | 'error' | 'dispose'>;
      registerWebviewViewProvider: (id: string, provider: vscode.WebviewViewProvider) => vscode.Disposable;
      showQuickPick: <T extends vscode.QuickPickItem>(items: readonly T[]) => Promise<T | undefined>;
    };
    readonly commands: Pick<typeof vscode.commands, 'registerCommand'>;
    readonly workspace: {
      readonly workspaceFolders: readonly Pick<vscode.WorkspaceFolder, 'uri'>[];
      readonly textDocuments: readonly vscode.TextDocument[];
      getConfiguration(section: string): { get(name: string, fallback: unknown): unknown };
      onDidChangeConfiguration: (listener: Listener<vscode.ConfigurationChangeEvent>) => vscode.Disposable;
    };
  } = {
    Uri: { joinPath: (base, ...parts) => uri(join(base.fsPath, ...parts)) },
    window: {
      createOutputChannel: () => ({
        info: writeLog,
        warn: writeLog,
        error: (line) => writeLog(String(line)),
        dispose() {},
      }),
      registerWebviewViewProvider(_id, registered) {
        provider = registered;
        return disposable;
      },
      async showQuickPick(items) {
        picks.push(items);
        return items[0];
      },
    },
    commands: {
      registerCommand(name, action) {
        commands.set(name, () => action());
        return disposable;
      },
    },
    workspace: {
      workspaceFolders: [{ uri: uri(workspaceFolder) }],
      textDocuments: [],
      getConfiguration: () => ({ get: (_name, fallback) => (setting.length > 0 ? setting : fallback) }),
      onDidChangeConfiguration(listener) {
        configurationListeners.push(listener);
        return disposable;
      },
    },
  };
  Reflect.set(globalThis, 'vscodeStandIn', api);

  const require = createRequire(join(folder, 'package.json'));
  const file = join(folder, 'dist/extension.cjs');
  // Each start is a new extension host.
  for (const path of Object.keys(require.cache)) if (path.startsWith(folder)) delete require.cache[path];
  const extension: { activate(context: object): void; deactivate(): Promise<void> | undefined } = require(
    file,
  );
  const subscriptions: vscode.Disposable[] = [];
  extension.activate({
    subscriptions,
    extensionUri: uri(folder),
    globalStorageUri: uri(join(workspaceFolder, '.storage')),
  });

  return {
    picks,
    log,
    showView(view) {
      const webview = {
        options: {},
        cspSource: view.cspSource,
        asWebviewUri: ({ fsPath }: vscode.Uri) => view.asUrl(fsPath.slice(folder.length)),
        onDidReceiveMessage(listener: Listener<WebviewMessage>) {
          view.send = (message) => listener(structuredClone(message));
        },
        // VS Code sends messages as JSON.
        postMessage: async (message: HostMessage) => view.receive(JSON.parse(JSON.stringify(message))),
        set html(html: string) {
          view.setHtml(html);
        },
      };
      const shown = { webview, onDidDispose: () => disposable };
      // The example uses these parts only.
      provider?.resolveWebviewView(shown as unknown as vscode.WebviewView, {} as never, {} as never);
    },
    command: (name) => commands.get(name)?.(),
    configure(next) {
      setting = next;
      for (const listener of configurationListeners)
        listener({ affectsConfiguration: (name) => name === 'agentPanel.command' });
    },
    async stop() {
      await extension.deactivate();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
