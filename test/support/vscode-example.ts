import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { VsCode, VsCodeWebview } from '../../src/ui/vscode/api.ts';
import { copyExample } from './example-host.ts';
import { fileUri, foldersWith, logOf, mementoOf, modelOf, uriOf } from './vscode-model.ts';

const run = promisify(execFile);

/** A copy of the example with its packages, in a folder for temporary files. */
export async function installExample(): Promise<string> {
  return copyExample('vscode', ['@modelcontextprotocol', '@types', '@valibot', 'esbuild', 'valibot']);
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
  /** The files that were opened. */
  readonly opened: readonly { readonly name: string; readonly line: number | null }[];
  /** The titles of the diffs that were opened. */
  readonly diffs: readonly string[];
  /** The items of the lists that were shown. */
  readonly picks: readonly (readonly string[])[];
  /** Ends the extension. */
  stop(): Promise<void>;
}

/** The webview of a view: its page, and where the messages of the host arrive. */
export interface View {
  readonly cspSource: string;
  asUrl(path: string): string;
  setHtml(html: string): void;
  receive(message: unknown): void;
  /** Set by the editor: sends a message to the host. */
  send?: (message: unknown) => void;
}

interface Options {
  readonly workspaceFolder: string;
  readonly command?: readonly string[];
  /** The setting `agentPanel.reviewWrites`. Default: `false`. */
  readonly reviewWrites?: boolean;
  /** What the user chooses in the lists that VS Code shows, one after the other. Default: Escape. */
  readonly choices?: string[];
}

/** Loads the built extension with a stand-in for the API of VS Code, and activates it. */
export function startExtension(
  folder: string,
  { workspaceFolder, command = [], reviewWrites = false, choices = [] }: Options,
): Editor {
  let settings: Readonly<Record<string, unknown>> = { command, reviewWrites };
  let provider: Parameters<VsCode['window']['registerWebviewViewProvider']>[1] | undefined;
  const commands = new Map<string, () => unknown>();
  const configurationListeners: ((event: { affectsConfiguration(name: string): boolean }) => unknown)[] = [];
  const picks: (readonly string[])[] = [];
  const opened: { name: string; line: number | null }[] = [];
  const diffs: string[] = [];
  const disposable = { dispose() {} };
  const ignored = () => disposable;

  // The parts of the API that the example and the package use. `npm run suite -- vscode` runs them in VS Code itself.
  const model = modelOf({
    workspace: {
      workspaceFolders: foldersWith(pathToFileURL(workspaceFolder).href),
      // The page looks for its file.
      fs: {
        stat: async ({ path }) => ({ type: 1, size: (await stat(path)).size }),
        readFile: (uri) => readFile(uri.path),
        writeFile: (uri, content) => writeFile(uri.path, content),
      },
    },
    window: {
      createOutputChannel: () => logOf([]),
      createTerminal: (options: { readonly name: string; readonly pty?: { open(): void } }) => {
        options.pty?.open();
        return { exitStatus: undefined, show() {}, dispose() {} };
      },
      onDidCloseTerminal: ignored,
      async showQuickPick(items) {
        picks.push(items);
        const choice = choices.shift();
        return items.find((item) => item === choice);
      },
      registerWebviewViewProvider: (_id, registered) => {
        provider = registered;
        return disposable;
      },
      async showTextDocument({ path }, { selection } = {}) {
        opened.push({ name: basename(path), line: selection ? selection.start.line + 1 : null });
      },
    },
    env: { openExternal: async () => true },
  });
  const api = {
    ...model,
    workspace: {
      ...model.workspace,
      asRelativePath: (path: string) => relative(workspaceFolder, path),
      getConfiguration: () => ({ get: (name: string, fallback: unknown) => settings[name] ?? fallback }),
      onDidChangeConfiguration(listener: (typeof configurationListeners)[number]) {
        configurationListeners.push(listener);
        return disposable;
      },
    },
    window: { ...model.window, tabGroups: { all: [] } },
    commands: {
      registerCommand(name: string, action: () => unknown) {
        commands.set(name, action);
        return disposable;
      },
      async executeCommand(name: string, ...args: readonly unknown[]) {
        if (name === 'vscode.diff') diffs.push(String(args[2]));
      },
    },
    Range,
    CancellationTokenSource: class {
      cancel() {}
      dispose() {}
    },
    TabInputTextDiff: class {},
  };
  Reflect.set(globalThis, 'vscodeStandIn', api);

  const require = createRequire(join(folder, 'package.json'));
  const file = join(folder, 'dist/extension.js');
  // Each start is a new extension host.
  for (const path of Object.keys(require.cache)) if (path.startsWith(folder)) delete require.cache[path];
  const extension: {
    activate(context: object): Promise<void>;
    deactivate(): Promise<void> | undefined;
  } = require(file);
  const subscriptions: { dispose(): unknown }[] = [];
  const activated = extension.activate({
    subscriptions,
    extensionUri: fileUri(folder),
    globalStorageUri: fileUri(join(workspaceFolder, '.storage')),
    workspaceState: mementoOf(),
    globalState: mementoOf(),
    extension: { packageJSON: require('./package.json') },
  });

  return {
    opened,
    diffs,
    picks,
    showView(view) {
      const webview: VsCodeWebview = {
        options: {},
        cspSource: view.cspSource,
        asWebviewUri: ({ path }) => uriOf(view.asUrl(path.slice(folder.length))),
        onDidReceiveMessage(listener) {
          view.send = (message) => listener(structuredClone(message));
          return disposable;
        },
        // VS Code sends messages as JSON.
        postMessage: async (message) => {
          view.receive(JSON.parse(JSON.stringify(message)));
          return true;
        },
        set html(html: string) {
          view.setHtml(html);
        },
      };
      // VS Code waits for the extension before it shows a view.
      void activated.then(() => provider?.resolveWebviewView({ webview, onDidDispose: ignored }));
    },
    command: (name) => commands.get(name)?.(),
    configure(next) {
      settings = { ...settings, command: next };
      for (const listener of configurationListeners)
        listener({ affectsConfiguration: (name) => name === 'agentPanel.command' });
    },
    async stop() {
      await activated;
      await extension.deactivate();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

class Range implements InstanceType<VsCode['Range']> {
  readonly start: { readonly line: number };
  constructor(line: number) {
    this.start = { line };
  }
}
