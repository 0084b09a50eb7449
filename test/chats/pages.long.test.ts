import { readFileSync } from 'node:fs';
import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from 'vitest';
import { type Browser, launchBrowser } from '../browser/browser.ts';
import { accessibilityFaults } from '../browser/inspector-page.ts';
import { nameDirectories } from '../browser/name-directories.ts';
import { root } from '../package/entries.ts';
import { eventually } from '../support/eventually.ts';
import { demoAgent, startHost } from '../support/example-host.ts';

const example = join(root, 'docs/examples/bridges');
const programs = join(import.meta.dirname, 'programs');

/** The pages of the example, served for one agent. */
interface Pages {
  /** The address of a page, by its name. */
  address(name: string): string;
  stop(): Promise<void>;
}

/**
 * @param packages - The folder in which the interfaces are installed.
 * @param agent - Default: a demo agent whose sessions are its own.
 * @param page - A page of `programs`, in place of those of the example.
 */
async function servePages(packages: string, agent?: readonly string[], page?: string): Promise<Pages> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-chats-'));
  await cp(example, folder, { recursive: true });
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
  if (page) await cp(join(programs, `${page}.jsx`), join(folder, `${page}.jsx`));
  const variables = page ? { PAGES: page } : {};
  const { url, stop } = await startHost(join(folder, 'host.mjs'), agent ?? demoAgent(folder), variables);
  return { address: (name) => new URL(`/${name}`, url).href, stop };
}

const names = ['use-chat', 'assistant-ui', 'copilotkit'];
/** Where the pictures are, which only people can judge. */
const pictures = join(inject('chatPackages'), 'pictures');
const sceneAgent = [process.execPath, join(programs, 'scene-agent.mjs')];
/** The sessions that pages had before. */
const earlier = new Set<string | null>();

let browser: Browser;
let demo: Pages;
let asking: Pages;
beforeAll(async () => {
  browser = await launchBrowser();
  demo = await servePages(inject('chatPackages'));
  asking = await servePages(inject('chatPackages'), sceneAgent);
  // They bundle 600 MB of packages.
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await asking?.stop();
});

test.each(names)('%s has at most 80 lines, and what all have in common 75', (name) => {
  const lines = (file: string) =>
    readFileSync(join(example, file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '').length;
  expect(lines(`${name}.jsx`)).toBeLessThanOrEqual(80);
  expect(lines('page.jsx')).toBeLessThanOrEqual(75);
});

describe.each(names)('the page %s', (name) => {
  let page: Page;
  let problems: string[];
  beforeEach(async () => {
    problems = [];
    page = await browser.open({ problems });
  });
  afterEach(async () => {
    for (const session of await sessions().locator('option').all()) {
      earlier.add(await session.getAttribute('value'));
    }
    await page.close();
    expect(problems).toEqual([]);
  });

  const sessions = () => page.getByRole('combobox', { name: 'Session' });
  const button = (text: string) => page.getByRole('button', { name: text, exact: true });
  const openNew = async (pages: Pages) => {
    await page.goto(pages.address(name));
    await button('New session').click();
    // The host shows one session on all pages: at first the page has the one of the test before.
    await eventually(async () => earlier.has(await sessions().inputValue())).toBe(false);
    await page.getByRole('textbox').waitFor();
  };
  /** CopilotKit has one button, which stops while a turn runs, and sends. */
  const turnButton = (own: string) =>
    name === 'copilotkit' ? page.getByTestId('copilot-send-button') : button(own);
  /** Waits until the page can send: just after it was loaded, it may still look for a turn that runs. */
  const say = async (text: string) => {
    await page.getByRole('textbox').fill(text);
    await turnButton('Send').click();
  };
  const stop = async () => {
    await turnButton('Cancel').click();
    await eventually(() => turnButton('Cancel').isDisabled()).toBe(true);
  };
  const text = (part: string) => page.getByRole('main').getByText(part).first();

  test('streams an answer, and cancels it', async () => {
    await openNew(asking);
    await say('count');
    await text('9 🐑').waitFor();
    await page.getByRole('banner').getByText('Working…', { exact: true }).waitFor();
    await stop();
    await text('I stopped.').waitFor();
    await page.getByRole('banner').getByText('Working…', { exact: true }).waitFor({ state: 'hidden' });
    await say('Delete the notes.');
    await button('Allow').click();
    await text('Answered: yes.').waitFor();
  });

  test('asks for a permission with the diff, and goes on when it is answered', async () => {
    await openNew(demo);
    await say('edit a note about tea');
    await button('Allow').waitFor();
    await text('Waiting for you').waitFor();
    const added = page.locator('.added', { hasText: 'edit a note about tea' });
    await added.waitFor();
    // Not by its color alone.
    const sign = (line: Locator) =>
      line.evaluate((e) => e.ownerDocument.defaultView.getComputedStyle(e, '::before').content);
    expect(await sign(added)).toBe('"+ "');
    const same = page.locator('.same').first();
    expect(await same.evaluate((e) => e.offsetHeight)).toBe(await added.evaluate((e) => e.offsetHeight));
    expect(await button('Allow from now on').count()).toBe(1);
    await button('Allow').click();
    await text('Thank you. The note stands').waitFor();
    expect(await button('Allow').count()).toBe(0);
  });

  test('withdraws a request when its turn is cancelled', async () => {
    await openNew(asking);
    await say('Delete the notes.');
    await button('Allow').waitFor();
    await button('Cancel').click();
    await text('Answered: cancelled.').waitFor();
    expect(await button('Allow').count()).toBe(0);
    await say('Delete them after all.');
    await button('Allow').click();
    await text('Answered: yes.').waitFor();
  });

  test.each(['Allow', 'Always allow', 'Reject', 'Never allow'])('answers %s', async (option) => {
    const ids = { Allow: 'yes', 'Always allow': 'yes-always', Reject: 'no', 'Never allow': 'no-always' };
    await openNew(asking);
    await say('Delete the notes.');
    await button(option).click();
    await text(`Answered: ${ids[option as keyof typeof ids]}.`).waitFor();
    for (const other of Object.keys(ids)) expect(await button(other).count(), other).toBe(0);
  });

  test('goes on with a turn when it is loaded again', async () => {
    await openNew(asking);
    await say('count');
    await text('9 🐑').waitFor();
    await page.reload();
    problems.length = 0; // a reload ends the open requests of the page
    await text('9 🐑').waitFor();
    const counted = async () => Number(/(\d+) 🐑\s*$/u.exec(await text('9 🐑').innerText())?.[1]);
    const shown = await counted();
    await eventually(counted).toBeGreaterThan(shown);
    await stop();
    await text('I stopped.').waitFor();
  });

  test('has a request again when it is loaded again', async () => {
    await openNew(demo);
    await say('edit a note about tea');
    await button('Allow').waitFor();
    await page.reload();
    problems.length = 0;
    await button('Allow').click();
    await text('Thank you. The note stands').waitFor();
  });

  test('shows a session that is loaded', async () => {
    await page.goto(demo.address(name));
    await sessions().selectOption({ label: 'The day that never was' });
    await text('and I swear I did not touch it').waitFor();
    await page.locator('.added', { hasText: 'isLeapYear(year)' }).first().waitFor();
    await say('hello');
    await text('You wrote: “hello”').waitFor();
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('fits in %s colors at %i pixels', async (colorScheme, width) => {
    await page.setViewportSize({ width, height: 680 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await openNew(demo);
    await say('edit a note about tea');
    await button('Refuse').scrollIntoViewIfNeeded();
    expect(await page.locator('html').evaluate((e) => e.scrollWidth)).toBeLessThanOrEqual(width);
    const faults = await accessibilityFaults(page);
    // Buttons of CopilotKit itself have no names.
    expect(name === 'copilotkit' ? faults.filter((each) => !/^button-name:/.test(each)) : faults).toEqual([]);
    await page.evaluate(nameDirectories);
    const path = join(pictures, `${name}-${colorScheme}-${width}.png`);
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  });
});

// React 19 itself refuses addresses that run script.
test('a chat of React 18 gets no address of the agent that runs script', async () => {
  const served = await servePages(inject('react18Packages'), sceneAgent, 'react-18');
  onTestFinished(served.stop);
  const problems: string[] = [];
  const page = await browser.open({ problems });
  onTestFinished(() => page.close());
  await page.goto(served.address(''));
  await page.getByText('New session').click();
  await page.getByText('Send').click();
  const shown = page.locator('output');
  await eventually(() => shown.textContent()).toMatch(/^React 18\..* is ready: text,(data-\w+,)*source-url/);
  expect(await page.locator('a[href]').evaluateAll((links) => links.map((link) => link.textContent))).toEqual(
    ['control', 'https://example.com/'],
  );
  for (const text of await page.locator('a:not([href])').allTextContents()) expect(text).toBe('');
  expect(await page.title()).not.toBe('It ran.');
  // React 18 has not kept it from running.
  await page.getByText('control').click();
  await eventually(() => page.title()).toBe('It ran.');
  expect(problems).toEqual([]);
});
