import type {
  VsCode,
  VsCodeContext,
  VsCodeEvent,
  VsCodeTerminal,
  VsCodeUri,
  VsCodeWebview,
} from '../../src/ui/vscode/api.ts';

// A small model of VS Code, for what does not depend on its behavior. `test/vscode` tests the real one.

/** A URI with what is used of it. */
export function uriOf(text: string): VsCodeUri {
  const { protocol, host, pathname, search } = new URL(text);
  const path = decodeURIComponent(pathname);
  const uri = { scheme: protocol.slice(0, -1), authority: host, path, query: search.slice(1) };
  return {
    ...uri,
    fsPath: path,
    with: (change) => {
      const { scheme, authority, path, query } = { ...uri, ...change };
      return uriOf(`${scheme}://${authority}${encodeURI(path)}${query ? `?${query}` : ''}`);
    },
    toString: () => text,
  };
}

export const fileUri = (path: string): VsCodeUri => uriOf(`file://${encodeURI(path)}`);

/** An event whose listeners can be counted. */
export class ModelEvent<T> {
  readonly listeners = new Set<(event: T) => unknown>();
  readonly event: VsCodeEvent<T> = (listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const listener of [...this.listeners]) listener(event);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

/** A document with unsaved changes. */
export function dirtyDocument(uri: VsCodeUri, text: string): VsCode['workspace']['textDocuments'][number] {
  return {
    uri,
    isDirty: true,
    isClosed: false,
    lineCount: text.split('\n').length,
    eol: 1,
    encoding: 'utf8',
    getText: () => text,
    positionAt: () => ({ line: 0, character: 0 }),
    save: async () => false,
  };
}

const workspace = (): Partial<VsCode['workspace']> => ({
  isTrusted: true,
  textDocuments: [],
  onDidChangeWorkspaceFolders: new ModelEvent<unknown>().event,
  onDidGrantWorkspaceTrust: new ModelEvent<void>().event,
  registerTextDocumentContentProvider: () => ({ dispose: () => {} }),
});

/** A log at the level Info. Each of its lines begins with its level. */
export function logOf(lines: string[]) {
  const at = (level: string) => (text: string) => void lines.push(`${level} ${text}`);
  const [trace, info, warn, error] = [at('trace'), at('info'), at('warn'), at('error')];
  return { logLevel: 3, trace, info, warn, error, show() {}, dispose() {} };
}

/** What VS Code keeps for a workspace, or for all of them. */
export function mementoOf(kept = new Map<string, unknown>()): VsCodeContext['workspaceState'] {
  return {
    // The caller chooses the type, as with VS Code.
    get: <T>(key: string) => kept.get(key) as T | undefined,
    update: async (key, value) => void kept.set(key, structuredClone(value)),
  };
}

/** The parts of VS Code that a test gives. The others are absent: a test that needs one fails. */
export function modelOf(parts: {
  readonly workspace?: Partial<VsCode['workspace']>;
  readonly window?: Partial<VsCode['window']>;
  readonly env?: VsCode['env'];
  readonly commands?: VsCode['commands'];
}): VsCode {
  const model: Partial<VsCode> = {
    // Partial on purpose.
    workspace: { ...workspace(), ...parts.workspace } as VsCode['workspace'],
    window: { ...parts.window } as VsCode['window'],
    ...(parts.env && { env: parts.env }),
    ...(parts.commands && { commands: parts.commands }),
    Uri: {
      file: fileUri,
      parse: uriOf,
      joinPath: (base, ...names) => {
        const path = [base.path.replace(/\/$/, ''), ...names].join('/');
        return uriOf(`${base.scheme}://${base.authority}${encodeURI(path)}`);
      },
    },
    EventEmitter: ModelEvent,
    LogLevel: { Trace: 1 },
  };
  return model as VsCode;
}

/** A webview that is not drawn. */
export function webviewOf(asWebviewUri: VsCodeWebview['asWebviewUri'] = (uri) => uri) {
  const received = new ModelEvent<unknown>();
  const sent: unknown[] = [];
  const webview: VsCodeWebview = {
    options: {},
    html: '',
    cspSource: 'https://csp.example',
    onDidReceiveMessage: received.event,
    postMessage: async (message) => sent.push(message) > 0,
    asWebviewUri,
  };
  return { webview, received, sent };
}

/** `workspaceFolders` with these folders. */
export function foldersWith(...uris: readonly string[]) {
  return uris.map((uri) => ({ uri: uriOf(uri), name: uri }));
}

/** A terminal of an extension, on the screen. */
export interface ModelScreen extends VsCodeTerminal {
  readonly name: string;
  /** What was written since it is drawn. */
  readonly written: string[];
  /** What it was shown with. */
  readonly focus: unknown[];
  isClosed: boolean;
  readonly pty: {
    readonly onDidWrite: VsCodeEvent<string>;
    open(): void;
    close(): void;
    handleInput(data: string): void;
  };
}

/** The terminals that an extension creates. The user closes one with `dispose`. */
export function modelScreens() {
  const screens: ModelScreen[] = [];
  const createTerminal = ({ name, pty }: { name: string; pty?: ModelScreen['pty'] }): VsCodeTerminal => {
    if (!pty) throw new TypeError('not a terminal of the extension');
    const written: string[] = [];
    const focus: unknown[] = [];
    pty.onDidWrite((text) => written.push(text));
    const screen: ModelScreen = {
      ...{ name, written, focus, pty, isClosed: false, exitStatus: undefined },
      show: (preserveFocus) => focus.push(preserveFocus),
      dispose() {
        screen.isClosed = true;
        pty.close();
      },
    };
    screens.push(screen);
    return screen;
  };
  return { screens, createTerminal };
}
