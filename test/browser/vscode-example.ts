import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { deferred } from '../../src/core/base/wait.ts';
import {
  buildExample,
  type Editor,
  installExample,
  removeExample,
  startExtension,
  type View,
} from '../support/vscode-example.ts';
import { PIXEL } from '../unit/render/example.ts';
import { sharedBrowser } from './browser.ts';

/** The fonts of VS Code, which it gives to webviews as variables. */
const fonts = {
  'font-family': 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif',
  'font-size': '13px',
  'editor-font-family': '"DejaVu Sans Mono", monospace',
  'editor-font-size': '12px',
};

/** The colors of its themes: of the dark and the light one. */
const colors: Readonly<Record<string, readonly [dark: string, light: string]>> = {
  foreground: ['#cccccc', '#3b3b3b'],
  descriptionForeground: ['#9d9d9d', '#616161'],
  errorForeground: ['#f85149', '#c72e0f'],
  focusBorder: ['#0078d4', '#005fb8'],
  'sideBar-background': ['#181818', '#f8f8f8'],
  'panel-border': ['#2b2b2b', '#e5e5e5'],
  'button-background': ['#0078d4', '#005fb8'],
  'button-foreground': ['#ffffff', '#ffffff'],
  'button-hoverBackground': ['#026ec1', '#0258a8'],
  'button-secondaryBackground': ['#313131', '#e5e5e5'],
  'button-secondaryForeground': ['#cccccc', '#3b3b3b'],
  'button-secondaryHoverBackground': ['#3c3c3c', '#cccccc'],
  'dropdown-background': ['#313131', '#ffffff'],
  'dropdown-foreground': ['#cccccc', '#3b3b3b'],
  'dropdown-border': ['#3c3c3c', '#cecece'],
  'input-background': ['#313131', '#ffffff'],
  'input-foreground': ['#cccccc', '#3b3b3b'],
  'input-border': ['#3c3c3c', '#cecece'],
  'input-placeholderForeground': ['#989898', '#767676'],
  'inputValidation-errorBackground': ['#5a1d1d', '#f2dede'],
  'inputValidation-errorBorder': ['#be1100', '#be1100'],
  'progressBar-background': ['#0078d4', '#005fb8'],
  'debugTokenExpression-boolean': ['#4e94ce', '#0000ff'],
  'debugTokenExpression-name': ['#c586c0', '#9b46b0'],
  'debugTokenExpression-number': ['#b5cea8', '#098658'],
  'debugTokenExpression-string': ['#ce9178', '#a31515'],
  'diffEditor-insertedTextBackground': ['#9ccc2c33', '#9ccc2c40'],
  'diffEditor-removedTextBackground': ['#ff000033', '#ff000033'],
  'textLink-foreground': ['#4daafc', '#005fb8'],
  'list-activeSelectionBackground': ['#04395e', '#e8e8e8'],
  'list-activeSelectionForeground': ['#ffffff', '#000000'],
};

/** The colors with high contrast. */
const contrast = {
  foreground: '#ffffff',
  descriptionForeground: '#ffffffb3',
  errorForeground: '#f48771',
  focusBorder: '#f38518',
  contrastBorder: '#6fc3df',
  contrastActiveBorder: '#f38518',
  'sideBar-background': '#000000',
  'panel-border': '#6fc3df',
  'button-background': '#000000',
  'button-foreground': '#ffffff',
  'button-border': '#6fc3df',
  'button-secondaryBackground': '#000000',
  'button-secondaryForeground': '#ffffff',
  'dropdown-background': '#000000',
  'dropdown-foreground': '#ffffff',
  'dropdown-border': '#6fc3df',
  'input-background': '#000000',
  'input-foreground': '#ffffff',
  'input-border': '#6fc3df',
  'input-placeholderForeground': '#ffffffb3',
  'inputValidation-errorBackground': '#000000',
  'inputValidation-errorBorder': '#6fc3df',
  'progressBar-background': '#6fc3df',
  'diffEditor-insertedTextBorder': '#33ff2e',
  'diffEditor-removedTextBorder': '#ff008f',
  'textLink-foreground': '#21a6ff',
};

const inColumn = (column: 0 | 1) =>
  Object.fromEntries(Object.entries(colors).map(([name, values]) => [name, values[column]]));

const themes = {
  dark: { ...fonts, ...inColumn(0) },
  light: { ...fonts, ...inColumn(1) },
  contrast: { ...fonts, ...contrast },
};

export type Theme = keyof typeof themes;

/** The extension, and its webview in a page of a browser. */
export interface ExamplePage {
  readonly page: Page;
  readonly editor: Editor;
  /** What went wrong in the page, including what its policy blocked. */
  readonly problems: string[];
  /** Pastes an image, and drops a text file. */
  giveFiles(): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  /** Default: the demo agent. */
  readonly command?: readonly string[];
  readonly theme?: Theme;
  /** Default: 420. VS Code's default width of the side bar is 300. */
  readonly widthPx?: number;
}

/** The built example and a browser, for all tests of a file. */
export function builtExample(settings?: Parameters<typeof sharedBrowser>[0]) {
  const browser = sharedBrowser(settings);
  let folder: string;
  beforeAll(async () => {
    folder = await installExample();
    await buildExample(folder);
  });
  afterAll(async () => {
    if (folder) await removeExample(folder);
  });
  return {
    /** The demo agent that was built with it. */
    demoAgent: () => join(folder, 'dist/demo-agent.mjs'),
    open: (options: Options): Promise<ExamplePage> => openExample(browser, folder, options),
  };
}

async function openExample(
  browser: ReturnType<typeof sharedBrowser>,
  folder: string,
  { command = [], theme = 'dark', widthPx = 420 }: Options,
): Promise<ExamplePage> {
  let html = '';
  // The browser can ask for the page before the extension is active and gives it.
  const given = deferred();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/') {
      await given.promise;
      return response.setHeader('content-type', 'text/html').end(html);
    }
    const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
    return response.end(await readFile(join(folder, path)).catch(() => ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const workspaceFolder = await mkdtemp(join(tmpdir(), 'acp-workspace-'));
  const editor = startExtension(folder, { workspaceFolder, command });
  const problems: string[] = [];
  const page = await browser.open({ problems });
  await page.setViewportSize({ width: widthPx, height: 860 });
  await page.emulateMedia({ colorScheme: theme === 'light' ? 'light' : 'dark' });

  const view: View = {
    cspSource: origin,
    asUrl: (path) => `${origin}${path}`,
    setHtml(next) {
      html = next;
      given.resolve();
    },
    // The page can be gone by now.
    receive: (message: unknown) => void page.evaluate((sent: unknown) => post(sent), message).catch(() => {}),
  };
  await page.exposeFunction('sendToHost', (message: unknown) => view.send?.(message));
  await page.addInitScript(provideVsCode, { theme, variables: themes[theme] });
  editor.showView(view);
  await page.goto(origin);
  return {
    page,
    editor,
    problems,
    giveFiles: () => page.evaluate(giveFilesScript),
    async stop() {
      await page.close();
      await editor.stop();
      server.close();
      await rm(workspaceFolder, { recursive: true, force: true });
    },
  };
}

/** Runs in the page. The types of this project are those of Node. */
const giveFilesScript = `
  const input = document.querySelector('acp-panel').shadowRoot.querySelector('textarea');
  const give = (name, type, text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type }));
    return data;
  };
  const image = Uint8Array.from(atob('${PIXEL}'), (character) => character.charCodeAt(0));
  const event = { bubbles: true, cancelable: true, composed: true };
  input.dispatchEvent(new ClipboardEvent('paste', { ...event, clipboardData: give('tea.png', 'image/png', image) }));
  input.dispatchEvent(new DragEvent('drop', { ...event, dataTransfer: give('notes.txt', 'text/plain', 'Oolong') }));
`;

// Set in the page.
declare function post(message: unknown): void;

interface ShownTheme {
  readonly theme: Theme;
  readonly variables: Readonly<Record<string, string>>;
}

/** Runs in the page before its scripts, as the code of VS Code does. The types of this project are those of Node. */
function provideVsCode({ theme, variables }: ShownTheme): void {
  interface PageGlobals {
    sendToHost(message: unknown): void;
    readonly sessionStorage: {
      getItem(key: string): string | null;
      setItem(key: string, value: string): void;
    };
    postMessage(message: unknown, origin: string): void;
    readonly document: {
      readonly documentElement: { readonly style: { setProperty(name: string, value: string): void } };
      readonly body: { readonly dataset: Record<string, string>; className: string };
      addEventListener(name: string, listener: () => void): void;
    };
  }
  const page = globalThis as unknown as PageGlobals;
  Object.assign(globalThis, {
    post: (message: unknown) => page.postMessage(message, '*'),
    acquireVsCodeApi: () => ({
      postMessage: (message: unknown) => page.sendToHost(message),
      getState: () => JSON.parse(page.sessionStorage.getItem('state') ?? 'null') ?? undefined,
      setState: (state: unknown) => page.sessionStorage.setItem('state', JSON.stringify(state)),
    }),
  });
  page.document.addEventListener('DOMContentLoaded', () => {
    const kind = theme === 'contrast' ? 'vscode-high-contrast' : `vscode-${theme}`;
    page.document.body.dataset['vscodeThemeKind'] = kind;
    page.document.body.className = kind;
    for (const [name, value] of Object.entries(variables)) {
      page.document.documentElement.style.setProperty(`--vscode-${name}`, value);
    }
  });
}
