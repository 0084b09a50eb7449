import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { listen } from '../../src/node/loopback/http-server.ts';
import { webSocketChannel } from '../../src/ui/panel/channel.ts';
import type { PanelOptions } from '../../src/ui/panel/options.ts';
import { type ServedPanel, servePanel } from '../../src/ui/panel/serve.ts';
import { sharedBrowser } from './browser.ts';

const root = resolve(import.meta.dirname, '../..');

/** Nothing but files of the same origin: no inline script or style, no `eval`. */
const policy = "default-src 'self'";

/** Defines for a test what it evaluates in the page. `connectTo` returns the panel of a host, with a count of its listeners. */
const script = `
  import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';
  Object.assign(globalThis, {
    connectTo(index) {
      const address = 'ws://' + location.host + location.pathname + '/' + index;
      const panel = connectPanel(() => webSocketChannel(new WebSocket(address)));
      let listeners = 0;
      return {
        ...panel,
        listeners: () => listeners,
        subscribe(listener) {
          listeners++;
          const stop = panel.subscribe(listener);
          return () => { listeners--; stop(); };
        },
      };
    },
    async showPanels(elements = document.querySelectorAll('acp-panel')) {
      await import('/dist/panel-element.js');
      globalThis.panels = [...elements].map((element, index) => (element.panel = connectTo(index)));
    },
  });
`;

const style = `
  body { margin: 0; }
  .pair { display: grid; grid-template-columns: 1fr 1fr; height: 100vh; }
  .narrow { width: 180px; height: 300px; }
  .own { --acp-background: rgb(1, 2, 3); --acp-font-size: 20px; }
  .parts::part(header), .parts::part(transcript), .parts::part(entry), .parts::part(tool),
  .parts::part(question), .parts::part(composer) { outline: 3px solid rgb(4, 5, 6); }
`;

/** A page with the element, and the hosts of its panels. */
export interface PanelPage {
  readonly page: Page;
  readonly served: readonly ServedPanel[];
}

interface Options {
  /** The hosts. The panels of the page find them by their index. */
  readonly hosts: readonly PanelOptions[];
  /** What is in the body. Default: one element. */
  readonly body?: string;
  /** Default: the panels of the elements, in their order. */
  readonly run?: string;
}

/** A browser and a server of pages, for all tests of a file. */
export function panelSite(settings?: Parameters<typeof sharedBrowser>[0]) {
  const bodies = new Map<string, string>();
  const panels = new Map<string, ServedPanel>();
  const browser = sharedBrowser(settings);
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer(await answers(bodies));
    new WebSocketServer({ server }).on('connection', (socket, { url: path = '' }) =>
      panels.get(path)?.attach(webSocketChannel(socket)),
    );
    url = `http://127.0.0.1:${await listen(server)}`;
  });
  afterAll(() => void server?.close());

  return {
    /** Opens a page. It ends with the test, which fails if something went wrong in it, such as what its policy blocked. */
    async open({
      hosts,
      body = '<acp-panel></acp-panel>',
      run = 'showPanels()',
    }: Options): Promise<PanelPage> {
      const path = `/page-${bodies.size}`;
      bodies.set(path, body);
      const served = hosts.map((options) => servePanel(options));
      for (const [index, panel] of served.entries()) panels.set(`${path}/${index}`, panel);
      const problems: string[] = [];
      const page = await browser.open({ problems });
      onTestFinished(async () => {
        await page.close();
        for (const panel of served) await panel.close();
        if (problems.length > 0) throw new Error(`Something went wrong in the page: ${problems.join('\n')}`);
      });
      await page.goto(`${url}${path}`);
      await page.evaluate(run);
      return { page, served };
    },
  };
}

/** Sends a prompt, once the agent has started. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** What the server answers: the built element, with a second address for each of its files, and pages. */
async function answers(bodies: ReadonlyMap<string, string>): Promise<Parameters<typeof createServer>[1]> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: root },
    bundle: true,
    external: ['/dist/*'],
    format: 'esm',
    write: false,
  });
  const files = new Map<string, readonly [type: string, content: string | Uint8Array]>([
    ['/page.js', ['text/javascript', outputFiles[0]?.contents ?? '']],
    ['/page.css', ['text/css', style]],
  ]);
  for (const name of ['panel-element.js', 'panel-element-code.js']) {
    const content = await readFile(join(root, 'dist', name));
    for (const folder of ['dist', 'copy']) files.set(`/${folder}/${name}`, ['text/javascript', content]);
  }
  return ({ url = '' }, response) => {
    const [type, content] = files.get(url) ?? ['text/html; charset=utf-8', pageWith(bodies.get(url) ?? '')];
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(content);
  };
}

function pageWith(body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/icon" />
    <link rel="stylesheet" href="/page.css" />
    <script type="module" src="/page.js"></script>
    <title>A panel</title>
  </head>
  <body>${body}</body>
</html>`;
}
