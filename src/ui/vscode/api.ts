// The part of the module `vscode` that this entry uses. The module itself is passed in, so a program does not need
// `@types/vscode` to use this package. A type test assigns the real module to `VsCode`.

/** What an event or a registration returns. */
export interface VsCodeDisposable {
  dispose(): unknown;
}

/** An event: adds a listener. */
export type VsCodeEvent<T> = (listener: (event: T) => unknown) => VsCodeDisposable;

/** `vscode.Uri`. */
export interface VsCodeUri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fsPath: string;
  with(change: { readonly scheme?: string; readonly query?: string }): VsCodeUri;
  toString(): string;
}

/** `vscode.Terminal`. */
export interface VsCodeTerminal extends VsCodeDisposable {
  readonly exitStatus: { readonly code: number | undefined } | undefined;
  show(preserveFocus?: boolean): void;
}

/** `vscode.Webview`. */
export interface VsCodeWebview {
  options: {
    readonly enableScripts?: boolean;
    readonly localResourceRoots?: readonly VsCodeUri[];
  };
  html: string;
  readonly cspSource: string;
  readonly onDidReceiveMessage: VsCodeEvent<unknown>;
  postMessage(message: unknown): PromiseLike<boolean>;
  asWebviewUri(localResource: VsCodeUri): VsCodeUri;
}

/** The part of `vscode.ExtensionContext` that is used. */
export interface VsCodeContext {
  readonly extensionUri: VsCodeUri;
  readonly workspaceState: {
    get<T>(key: string): T | undefined;
    update(key: string, value: unknown): PromiseLike<void>;
  };
  /** What is kept for all workspaces. */
  readonly globalState?: VsCodeContext['workspaceState'] | undefined;
  /** The extension, with its manifest. */
  readonly extension?: { readonly packageJSON: unknown } | undefined;
  readonly subscriptions?: { push(item: VsCodeDisposable): unknown } | undefined;
}

/**
 * The module `vscode`, as far as this entry uses it. Pass `vscode` of `import * as vscode from 'vscode'`. Also the
 * editors that are built from VS Code have it.
 */
export interface VsCode {
  readonly workspace: {
    readonly isTrusted: boolean;
    readonly workspaceFolders: readonly { readonly uri: VsCodeUri }[] | undefined;
    /** The file of a workspace with several directories. */
    readonly workspaceFile: VsCodeUri | undefined;
    readonly onDidChangeWorkspaceFolders: VsCodeEvent<unknown>;
    readonly onDidGrantWorkspaceTrust: VsCodeEvent<void>;
    readonly textDocuments: readonly {
      readonly uri: VsCodeUri;
      readonly isDirty: boolean;
      readonly isClosed: boolean;
      readonly lineCount: number;
      /** 1: LF, 2: CRLF. */
      readonly eol: number;
      /** Absent before VS Code 1.100. */
      readonly encoding?: string;
      getText(): string;
      positionAt(offset: number): { readonly line: number; readonly character: number };
      save(): PromiseLike<boolean>;
    }[];
    readonly onDidChangeTextDocument: VsCodeEvent<{
      readonly document: VsCode['workspace']['textDocuments'][number];
    }>;
    readonly fs: {
      /** `type` has bits. 1: a file, 2: a directory, 64: a link. */
      stat(uri: VsCodeUri): PromiseLike<{ readonly type: number; readonly size: number }>;
      readFile(uri: VsCodeUri): PromiseLike<Uint8Array>;
      writeFile(uri: VsCodeUri, content: Uint8Array): PromiseLike<void>;
    };
    applyEdit(edit: InstanceType<VsCode['WorkspaceEdit']>): PromiseLike<boolean>;
    /** Absent before VS Code 1.100, as `decode` is. */
    encode?(content: string, options: { readonly encoding: string }): PromiseLike<Uint8Array>;
    decode?(content: Uint8Array, options: { readonly encoding: string }): PromiseLike<string>;
    registerTextDocumentContentProvider(
      scheme: string,
      provider: { provideTextDocumentContent(uri: VsCodeUri): string | undefined },
    ): VsCodeDisposable;
  };
  readonly window: {
    readonly activeTerminal: VsCodeTerminal | undefined;
    readonly activeTextEditor:
      | { readonly document: { readonly uri: VsCodeUri }; readonly selection: object }
      | undefined;
    readonly onDidCloseTerminal: VsCodeEvent<VsCodeTerminal>;
    createTerminal(options: {
      name: string;
      pty: {
        readonly onDidWrite: VsCodeEvent<string>;
        open(): void;
        close(): void;
        handleInput(data: string): void;
      };
    }): VsCodeTerminal;
    createTerminal(options: {
      name: string;
      shellPath: string;
      shellArgs: string[];
      cwd?: string;
      env: Record<string, string>;
      strictEnv: boolean;
    }): VsCodeTerminal;
    showQuickPick(
      items: readonly string[],
      options: { title?: string; placeHolder?: string; ignoreFocusOut?: boolean },
    ): PromiseLike<string | undefined>;
    createOutputChannel(
      name: string,
      options: { readonly log: true },
    ): VsCodeDisposable & {
      readonly logLevel: number;
      trace(message: string): void;
      info(message: string): void;
      warn(message: string): void;
      error(message: string): void;
      show(preserveFocus?: boolean): void;
    };
    showTextDocument(
      uri: VsCodeUri,
      options?: { preview?: boolean; selection?: InstanceType<VsCode['Range']> },
    ): PromiseLike<unknown>;
    showOpenDialog(options?: {
      canSelectMany?: boolean;
      defaultUri?: VsCodeUri;
      title?: string;
    }): PromiseLike<VsCodeUri[] | undefined>;
    showWarningMessage(message: string): PromiseLike<unknown>;
    registerWebviewViewProvider(
      viewId: string,
      provider: {
        resolveWebviewView(view: {
          readonly webview: VsCodeWebview;
          readonly onDidDispose: VsCodeEvent<void>;
          /** Beside the title of the view. */
          description?: string | undefined;
          /** On the icon of the view. */
          badge?: { readonly value: number; readonly tooltip: string } | undefined;
        }): void;
      },
    ): VsCodeDisposable;
  };
  readonly commands: { executeCommand(command: string, ...rest: unknown[]): PromiseLike<unknown> };
  readonly env: { openExternal(target: VsCodeUri): PromiseLike<boolean> };
  readonly Uri: {
    file(path: string): VsCodeUri;
    parse(value: string, strict?: boolean): VsCodeUri;
    joinPath(base: VsCodeUri, ...segments: string[]): VsCodeUri;
  };
  readonly Range: new (
    startLine: number,
    startCharacter: number,
    endLine: number,
    endCharacter: number,
  ) => { readonly start: { readonly line: number } };
  readonly WorkspaceEdit: new () => {
    replace(uri: VsCodeUri, range: object, newText: string): void;
  };
  readonly EventEmitter: new <T>() => VsCodeDisposable & {
    readonly event: VsCodeEvent<T>;
    fire(data: T): void;
  };
  readonly LogLevel: { readonly Trace: number };
}
