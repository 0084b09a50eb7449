import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { makeCertificate } from '../support/certificate.ts';
import { chromiumOptions } from '../support/chromium.mjs';
import { eventually } from '../support/eventually.ts';
import { copyExample } from '../support/example-host.ts';
import { someOf } from '../support/runs.ts';
import { startServeExample } from '../support/serve-example.ts';

const token = 'token-of-the-test-0123456789';

let folder: string;
/** The environment of the server, with the page that is built as the README says. */
let env: Readonly<Record<'ACP_TOKEN' | 'SITE', string>>;
beforeAll(async () => {
  folder = await copyExample('serve', ['esbuild']);
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const [, args = ''] = /^npx esbuild (.+)$/m.exec(readme) ?? [];
  const esbuild = join(folder, 'node_modules/esbuild/bin/esbuild');
  await promisify(execFile)(esbuild, args.split(' '), { cwd: folder });
  env = { ACP_TOKEN: token, SITE: join(folder, 'site') };
});
afterAll(() => folder && rm(folder, { recursive: true, force: true }));

interface Opened {
  readonly page: Page;
  /** What the page has logged, and what went wrong in it. */
  readonly said: readonly string[];
  /** The requests of the page to the agent: the method, or `WebSocket`. */
  readonly requests: readonly string[];
  /** The versions of HTTP that were used. */
  protocols(): Promise<readonly string[]>;
}

/** Opens a page in a browser of its own, which types the token. */
async function open(address: string): Promise<Opened> {
  const browser = await chromium.launch(chromiumOptions());
  onTestFinished(() => browser.close());
  const context: BrowserContext = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  // Only for a wait that hangs: the machine can be busy.
  page.setDefaultTimeout(100_000);
  const said: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('dialog', (dialog) => dialog.accept(token));
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/acp') requests.push(request.method());
  });
  page.on('websocket', (socket) => requests.push(`WebSocket ${new URL(socket.url()).pathname}`));
  await page.goto(address);
  const protocols = () =>
    page.evaluate(() => {
      const entries = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/acp'));
      // The types of this project are those of Node, which does not have it.
      return [...new Set(entries.map((entry) => String(Reflect.get(entry, 'nextHopProtocol'))))];
    });
  return { page, said, requests, protocols };
}

/** Opens an example session. */
async function openExample(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Session:/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^The day that never was/ })
    .click();
  await shows(page, 'The day that never was');
}

/** Waits until a session is shown. */
const shows = (page: Page, title: string) =>
  page
    .getByRole('button', { name: `Session: ${title}` })
    .and(page.locator(':enabled'))
    .waitFor();

async function startSession(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New session', exact: true }).and(page.locator(':enabled')).click();
  await shows(page, 'New session');
}

/** Takes a turn with a permission, and a second session. */
async function converse(page: Page): Promise<void> {
  await startSession(page);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('edit a note about tea');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const permission = page.getByRole('region', { name: 'Permission' });
  await permission.getByRole('button', { name: 'Allow', exact: true }).click();
  await page
    .getByRole('log')
    .locator('[data-change="added"]', { hasText: 'edit a note about tea' })
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
  await openExample(page);
  await page.getByRole('log').locator('.agent').first().waitFor();
}

describe('a page of the server, and its agent', () => {
  test.each([
    ['a WebSocket', '', ['WebSocket /acp'], []],
    ['streamable HTTP', '?transport=http', ['POST', 'GET'], ['http/1.1']],
  ])('are connected over %s', async (_way, query, kinds, versions) => {
    const { url } = await startServeExample({ env });
    const { page, said, requests, protocols } = await open(new URL(`/${query}`, url).href);
    await converse(page);
    expect(new Set(requests)).toEqual(new Set(kinds));
    expect(await protocols()).toEqual(versions);
    if (query === '') expect(said.join('\n')).toContain('is reached over a WebSocket');
    expect(said.join('\n')).not.toContain(token);
  });

  test.each(
    someOf([
      ['streamable HTTP', '?transport=http'],
      ['a WebSocket', ''],
    ]),
  )('are connected again over %s when the server was started again', async (_way, query) => {
    const first = await startServeExample({ env });
    const { page } = await open(new URL(`/${query}`, first.url).href);
    await converse(page);
    const exited = once(first.process, 'exit');
    first.process.kill();
    await exited;
    await page.getByText(/Starting the agent|Offline/).waitFor();
    await startServeExample({ env: { ...env, PORT: String(first.port) } });
    await shows(page, 'The day that never was');
  });
});

describe('a page and an agent with TLS and HTTP/2 at one origin', () => {
  test.each(
    someOf([
      ['streamable HTTP', '?transport=http', ['POST', 'GET']],
      ['a WebSocket', '', ['WebSocket /acp']],
    ] as const),
  )('are connected over %s, with ten sessions', async (way, query, kinds) => {
    const { key, cert } = makeCertificate();
    const { url } = await startServeExample({ env: { ...env, TLS_KEY: key, TLS_CERT: cert } });
    const { page, said, requests, protocols } = await open(new URL(`/${query}`, url).href);
    await converse(page);
    for (let count = 0; count < 10; count++) {
      await startSession(page);
      await page.getByRole('textbox', { name: 'Prompt' }).fill(`hello ${count}`);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page
        .getByRole('log')
        .locator('.agent', { hasText: `hello ${count}` })
        .waitFor();
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
    }
    expect(new Set(requests), said.join('\n')).toEqual(new Set(kinds));
    if (way === 'streamable HTTP') expect(await protocols()).toEqual(['h2']);
  });
});

describe('the server of the example', () => {
  test('turns away a page of another site, also with the token', async () => {
    const { url, children } = await startServeExample({ env });
    const headers = {
      authorization: `Bearer ${token}`,
      cookie: `acp_token=${token}`,
      origin: 'http://evil.example',
    };
    const { status } = await fetch(url, { method: 'POST', headers, body: '{}' });
    expect(status).toBe(403);
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('403');
    await eventually(children).toEqual([]);
  });

  test('wants the token from a page', async () => {
    const { url } = await startServeExample({ env });
    const headers = { cookie: 'acp_token=another', origin: new URL(url).origin };
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
  });
});
