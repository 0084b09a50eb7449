import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, extname, join, normalize, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { textOf } from '../../src/entries/conversation.ts';
import { foldTraffic } from '../../src/entries/testing.ts';
import { listen } from '../../src/node/loopback/http-server.ts';
import { stepOf } from '../../src/programs/inspector/timeline/steps-file.ts';
import { type Browser, launchBrowser } from '../browser/browser.ts';
import { examples } from '../package/docs/examples.ts';
import { pages as documents, fencedBlock, root } from '../package/docs/pages.ts';
import { agentRecordings } from '../support/agent-recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Where `npm run docs` writes the site. */
const site = join(root, '.site/dist');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Serves the site as a plain web server does. */
async function serveSite(): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
    try {
      const content = await readFile(file);
      response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    close: () => {
      server.closeAllConnections();
      return once(server.close(), 'close');
    },
  };
}

/** The pages of the site, as paths below its address. */
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);
const texts = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]));

let server: Awaited<ReturnType<typeof serveSite>>;
let browser: Browser;
let page: Page;
let problems: string[];
beforeAll(async () => {
  [server, browser] = await Promise.all([serveSite(), launchBrowser()]);
});
afterAll(() => Promise.all([browser?.close(), server?.close()]));
beforeEach(async () => {
  problems = [];
  page = await browser.open({ problems });
  // There is no other server.
  await page.route(
    ({ origin, protocol }) => origin !== server.url && protocol !== 'data:',
    (route) => {
      problems.push(`asks for ${route.request().url()}`);
      return route.abort();
    },
  );
});
afterEach(async () => {
  await page.close();
  // What a page fetches in advance ends with the page.
  expect(problems.filter((problem) => !problem.endsWith('failed'))).toEqual([]);
});

const open = (name: string) => page.goto(`${server.url}/${name}`);

test('each document is a page', () => {
  const expected = documents
    .filter((path) => path !== 'README.md')
    .map((path) =>
      path
        .replace(/^docs\//, '')
        .replace(/README\.md$/, 'index.md')
        .replace(/md$/, 'html'),
    )
    .map((name) => (name === 'index.html' ? 'contents.html' : name));
  expect(expected.length).toBeGreaterThan(60);
  expect(expected.filter((name) => !texts.has(name))).toEqual([]);
});

test('each link within the site leads to a page, and to a place that it has', () => {
  const broken: string[] = [];
  let count = 0;
  for (const [name, text] of texts) {
    for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      count++;
      if (href.includes('#recording=')) continue;
      const [path = '', hash] = href.replaceAll('&amp;', '&').split('#');
      const target = path === '' ? name : posix.join(path.startsWith('/') ? '' : posix.dirname(name), path);
      const file = target.replace(/^\//, '').replace(/^$|\/$/, (end) => `${end}index.html`);
      const other = texts.get(file);
      const hasPlace = !hash || other?.includes(`id="${decodeURIComponent(hash)}"`);
      if ((!other && !readdirSync(site).includes(file)) || !hasPlace) broken.push(`${name}: ${href}`);
    }
  }
  expect(count).toBeGreaterThan(5000);
  expect(broken).toEqual([]);
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core checks. In dark, the same elements have other colors. */
const checks = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: ['color-contrast'] },
} as const;

/** The viewer is a page of the inspector, whose tests check it. */
const checkedPages = pages.filter((name) => name !== 'viewer.html');

// A test for each page: on a busy machine, all of them together take longer than a test may.
describe.each(['light', 'dark'] as const)(
  'in %s colors, no fault for axe-core and no other server',
  (colorScheme) => {
    test.each(checkedPages)('has %s', async (name) => {
      await page.emulateMedia({ colorScheme });
      await open(name);
      // The file 404.html is empty until its program draws the page.
      await page.locator('#VPContent').waitFor();
      await page.evaluate(axe);
      const run = `axe.run({ exclude: ['iframe'] }, ${JSON.stringify(checks[colorScheme])})`;
      // This is a part of what axe-core returns.
      const { violations } = (await page.evaluate(run)) as {
        readonly violations: readonly {
          readonly id: string;
          readonly nodes: readonly { readonly target: readonly string[] }[];
        }[];
      };
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} (${nodes.length})`,
      );
      expect(found).toEqual([]);
    });
  },
);

/** The links to recordings, by the page that has them. */
const recordingLinks = new Map(
  pages.map((name) => [
    name,
    [...(texts.get(name) ?? '').matchAll(/<a [^>]*href="([^"]*viewer\.html#recording=[^"]+)"/g)].map(
      ([, link = '']) => link.replaceAll('&amp;', '&'),
    ),
  ]),
);

/** Where the recording of a link is. */
function placeOf(link: string) {
  const [path = '', hash = ''] = link.split('#');
  const address = new URLSearchParams(hash);
  return { path, file: address.get('recording') ?? '', step: address.get('step') ?? '' };
}

const recordingFolder = join(site, 'recordings');
const recordingFiles = readdirSync(recordingFolder);

test('each link to a recording leads to a timeline', () => {
  // What the site wrote, as its viewer reads it.
  type Timeline = { readonly format: number; readonly lines: readonly unknown[] } | undefined;
  const files = new Map<string, unknown>(
    recordingFiles.map((name) => [
      `recordings/${name}`,
      JSON.parse(gunzipSync(readFileSync(join(recordingFolder, name))).toString()),
    ]),
  );
  const links = [...recordingLinks].flatMap(([name, all]) => all.map((link) => ({ name, link })));
  for (const { name, link } of links) {
    const { path, file, step } = placeOf(link);
    expect(posix.join(posix.dirname(name), path)).toBe('viewer.html');
    const timeline = stepOf(files.get(file), step) as Timeline;
    expect([link, timeline?.format]).toEqual([link, 1]);
    expect(timeline?.lines.length, link).toBeGreaterThan(1);
  }
});

test('each step of an agent has a link in its cell', () => {
  const links = (recordingLinks.get('agent-results.html') ?? []).map(placeOf);
  const linked = links.map(({ file, step }) => `${basename(file, '.json.gz')} ${step}`);
  const steps = [...agentRecordings].flatMap(([name, all]) => all.map(({ step }) => `${name} ${step}`));
  expect(steps.length).toBeGreaterThan(500);
  expect(linked.sort()).toEqual(steps.sort());
});

test('the recordings are few and small files', () => {
  expect(recordingFiles.length).toBeLessThanOrEqual(28);
  const bytes = recordingFiles.reduce((sum, name) => sum + statSync(join(recordingFolder, name)).size, 0);
  expect(bytes).toBeLessThan(2_000_000);
});

const withRecordings = [...recordingLinks].flatMap(([name, links]) => (links.length > 0 ? [name] : []));

test.each(withRecordings)('a link of %s opens the recording in the viewer', async (name) => {
  const [link = ''] = recordingLinks.get(name) ?? [];
  await open(name);
  await page.waitForLoadState('networkidle');
  await page.locator(`main a[href="${link}"]`).first().click();
  await page.waitForURL((url) => url.hash.startsWith('#recording='));
  const { file, step } = placeOf(link);
  const recorded = agentRecordings.get(basename(file, '.json.gz'))?.find((each) => each.step === step);
  const ofTests = () => readFileSync(join(root, 'test/fixtures/traffic', `${step}.ndjson`), 'utf8');
  const { sessions } = await foldTraffic(recorded?.text ?? ofTests());
  const messages = sessions
    .flatMap(({ conversation }) => conversation.entries)
    .flatMap((entry) => (entry.kind === 'message' ? [textOf(entry).trim()] : []))
    .filter((text) => text !== '');
  const texts = page.locator('article');
  await texts.first().waitFor();
  const shown = (await texts.allInnerTexts()).join('\n');
  expect(messages.filter((text) => shown.includes(text)).length).toBeGreaterThan(0);
});

/** The results of a search, the first ones first. */
async function search(words: string): Promise<readonly string[]> {
  await open('getting-started.html');
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox').fill(words);
  const results = page.locator('.VPLocalSearchBox').getByRole('option');
  await results.first().waitFor();
  const links = await results.getByRole('link').all();
  return Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''));
}

test.each(['load session html', 'spawn agent', 'typescript', 'permission'])(
  'the search for “%s” has guides before decisions and sources',
  async (words) => {
    const found = await search(words);
    expect(found.length).toBeGreaterThan(3);
    const isGuide = (link: string | undefined) => !/\/(?:decisions|source|api)\//.test(link ?? '');
    expect([found[0], isGuide(found[0])]).toEqual([found[0], true]);
    // None of the first three is a decision or a file.
    expect(found.slice(0, 3).filter((link) => /\/(?:decisions|source)\//.test(link))).toEqual([]);
  },
);

test('a search does not count the small words of a question', async () => {
  expect((await search('how do I cancel a turn'))[0]).toMatch(/sessions\.html#cancel$/);
});

describe('the start page', () => {
  const panel = () => page.locator('.face acp-panel');

  test('has the panel beside the install line, six lines of code and a picture of the panel in an editor', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await open('');
    await panel().getByRole('region', { name: 'Permission' }).waitFor();
    expect(
      await page.locator('.pitch .language-ts:not(.context *) > pre .line', { hasText: /\S/ }).count(),
    ).toBe(6);
    expect(await page.locator('.pitch .language-sh').innerText()).toContain('npm install acp-client-sdk');
    const picture = page.locator('.editor img:visible');
    expect(await picture.count()).toBe(1);
    expect(await picture.evaluate((image) => Number(Reflect.get(image, 'naturalWidth')))).toBeGreaterThan(0);
  });

  test('lets a visitor answer a question, see a change, write, and go on after a crash', async () => {
    await open('');
    const live = panel();
    const prompt = live.getByRole('textbox', { name: 'Prompt' });
    const say = async (text: string) => {
      await prompt.fill(text);
      await live.getByRole('button', { name: 'Send', exact: true }).click();
    };
    await live.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await prompt.focus();
    await page.keyboard.press('1');
    await live.getByText('The note stands between the plants and the cat.').waitFor();
    expect(await live.locator('[role=log] [data-change=added]').innerText()).toContain(
      'edit a note about tea',
    );
    expect(await live.getByText('without asking').count()).toBe(0);
    expect(await live.getByRole('button', { name: 'Open diff' }).count()).toBe(0);
    await say('run');
    await live.getByText('2 passed').waitFor({ state: 'attached' });
    await say('crash');
    await live.getByText('The prompt has the word "crash" in it').first().waitFor();
    await say('plan');
    await live.getByText('The prompt has these keywords: plan').waitFor({ state: 'attached' });
    await live.getByText('3 of 3 done').waitFor();
  });

  test('is shown first, and loads the panel then', async () => {
    await open('');
    await panel().waitFor();
    const late = await page.evaluate<readonly string[]>(`(() => {
      const { loadEventStart } = performance.getEntriesByType('navigation')[0];
      const files = performance.getEntriesByType('resource').filter(({ name }) => /panel/.test(name));
      return files.map(({ startTime }) => (startTime >= loadEventStart ? 'later' : 'before'));
    })()`);
    expect(late.length).toBeGreaterThan(0);
    expect(late.filter((when) => when !== 'later')).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    'has a picture of the panel without JavaScript, in %s colors',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.route(/\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
      await open('');
      const picture = page.locator('.face .live img:visible');
      expect(await picture.count()).toBe(1);
      expect(await picture.evaluate((image) => Number(Reflect.get(image, 'naturalWidth')))).toBeGreaterThan(
        0,
      );
      expect(await panel().count()).toBe(0);
    },
  );
});

test.each([
  ['getting-started.html', 1280],
  ['api/acp-client-sdk.html', 1280],
  ['api/acp-client-sdk-types.html', 1280],
  ['vscode.html', 1280],
  ['', 1280],
  ['', 390],
  ['recordings.html', 390],
])('no code of /%s is cut at %i pixels', async (name, width) => {
  await page.setViewportSize({ width, height: 800 });
  await open(name);
  const cut = await page
    .locator('main pre')
    .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length);
  expect(cut).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

test('the table of agents is not cut at 1280 pixels, and has each command on one line', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open('agents.html');
  const table = page.locator('main table').first();
  const widths = await table.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  expect(widths[0]).toBe(widths[1]);
  const lines = await table
    .locator('td:nth-child(10) code')
    .evaluateAll((all) => all.map((command) => command.getClientRects().length));
  expect(new Set(lines)).toEqual(new Set([1]));
});

test('each function of the reference is in a list at the top of its page, and in the first page of the reference', async () => {
  const entries = readdirSync(join(root, 'docs/api')).map((name) =>
    name.replace(/^index\.md$/, 'acp-client-sdk.md'),
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const entry of entries) {
    const name = `api/${entry.replace(/md$/, 'html')}`;
    await open(name);
    const names = page.locator('.names');
    const linked = await names.locator('a').allInnerTexts();
    const headings = await page.locator('main h3').evaluateAll((all) => all.map(({ id }) => id));
    expect([name, linked.map((each) => each.toLowerCase())]).toEqual([name, headings]);
    expect((await names.boundingBox())?.height).toBeLessThan(800);
    const home = texts.get('api/index.html') ?? '';
    for (const id of headings) expect(home).toContain(`${entry.replace('.md', '')}.html#${id}`);
  }
});

test('a word of a page is found without a server', async () => {
  await search('streamable HTTP');
  await page.locator('.VPLocalSearchBox').getByRole('option').first().click();
  await page.waitForURL((url) => !url.pathname.endsWith('getting-started.html'));
  await page.locator('main', { hasText: /streamable HTTP/i }).waitFor();
  expect(await page.locator('main h1').innerText()).not.toContain('Getting started');
});

test('a sample has types on hover and by key, and what it assumes one click away', async () => {
  await open('tools.html');
  await page.waitForLoadState('networkidle');
  const sample = page.locator('main pre').filter({ hasText: 'toolServer' }).first();
  const popup = page.locator('.type-popup > div');
  await sample
    .locator('.typed', { hasText: /^toolServer$/ })
    .first()
    .hover();
  await popup.filter({ hasText: 'function toolServer' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await popup.count()).toBe(0);
  await sample.focus();
  const names = await sample.locator('.typed').allInnerTexts();
  for (const name of names.slice(0, 3)) {
    await page.keyboard.press('ArrowRight');
    expect(await sample.locator('.typed.chosen').innerText()).toBe(name);
    expect(await popup.innerText()).toContain(name);
  }
  const context = page.locator('details.context').first();
  expect(await context.locator('pre').isVisible()).toBe(false);
  await context.locator('summary').click();
  expect(await context.locator('pre').innerText()).toContain('ClientConnection');
});

test('each TypeScript sample has types, and so has each example of the reference', async () => {
  const count = (name: string) => [...(texts.get(name) ?? '').matchAll(/<div class="types"/g)].length;
  const inReference = pages.filter((name) => name.startsWith('api/'));
  const others = pages.filter((name) => !name.startsWith('api/'));
  const sum = (names: readonly string[]) => names.reduce((all, name) => all + count(name), 0);
  const samples = documents.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(fencedBlock)].filter(([, , , language = '']) =>
      /^tsx?$/.test(language),
    ),
  );
  // The start page has one that no document has.
  expect(sum(others)).toBe(samples.length + 1);
  // An example can be in the reference of several entries.
  expect(sum(inReference)).toBeGreaterThanOrEqual((await examples()).length);
});

test('another version is one choice away', async () => {
  const versions = [
    { version: '9.9.9', link: '/contents.html' },
    { version: packageJson.version, link: '/' },
  ];
  await page.route('**/versions.json', (route) => route.fulfill({ json: versions }));
  await open('tools.html');
  const menu = page.getByRole('combobox', { name: 'Version' });
  await menu.waitFor();
  expect(await menu.locator('option:checked').innerText()).toBe(packageJson.version);
  await menu.selectOption('9.9.9');
  await page.waitForURL('**/contents.html');
});

test('a published version gets the list of all versions, and so do the others', async () => {
  const folder = temporaryFolder();
  const publish = join(root, '.site/publish.mjs');
  for (const version of ['v1.2.0', 'next', 'v1.10.0']) {
    execFileSync(process.execPath, [publish, folder, version, '/docs/']);
  }
  const expected = ['v1.10.0', 'v1.2.0', 'next'].map((version) => ({ version, link: `/docs/${version}/` }));
  for (const version of ['v1.2.0', 'next', 'v1.10.0']) {
    expect(JSON.parse(readFileSync(join(folder, version, 'versions.json'), 'utf8'))).toEqual(expected);
  }
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('url=/docs/v1.10.0/');
});

test('llms.txt names each page, and llms-full.txt has their text', () => {
  const list = readFileSync(join(site, 'llms.txt'), 'utf8');
  const links = [...list.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(35);
  for (const link of links)
    expect(texts.has(`${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.html`)).toBe(true);
  const full = readFileSync(join(site, 'llms-full.txt'), 'utf8');
  for (const name of ['docs/tools.md', 'docs/api/node.md', 'README.md']) {
    expect(full).toContain(readFileSync(join(root, name), 'utf8').trim());
  }
});
