import { once } from 'node:events';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.ts';
import { type Browser, launchBrowser } from '../browser.ts';
import { type Example, startExample } from '../example.ts';
import { expectInert, hostileMarkdown } from '../hostile-markdown.ts';
import { accessibilityFaults } from '../inspector-page.ts';

/** A directory for pictures, to look at. */
const pictures = process.env['PICTURES'];

/** Waits until a session is shown. */
const shows = (page: Page, title: string) =>
  page.getByRole('button', { name: `Session: ${title}` }).waitFor();

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each(['built', 'developed'] as const)('the example, %s', (way) => {
  let example: Example;
  beforeAll(async () => {
    example = await startExample(way);
  });
  afterAll(() => example?.stop());

  let page: Page;
  let problems: string[];
  beforeEach(async () => {
    problems = [];
    page = await browser.open({ problems });
    await page.goto(example.url);
    await page.getByRole('button', { name: 'New session' }).and(page.locator(':enabled')).click();
    await shows(page, 'New session');
  });
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  const transcript = () => page.getByRole('log');
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  test('has no fault for axe-core with a question, and nothing wider than 390 pixels', async () => {
    await say('edit a note about tea');
    const permission = page.getByRole('region', { name: 'Permission' });
    await permission.locator('[data-change="added"]', { hasText: 'edit a note about tea' }).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      if (pictures) await page.screenshot({ path: join(pictures, `web-${way}-${width}.png`) });
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.locator('body').evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
    await permission.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
    await transcript().locator('[data-change="added"]', { hasText: 'edit a note about tea' }).waitFor();
  });

  test('keeps HTML, scripts and pictures of the agent inert', async () => {
    await say(hostileMarkdown);
    await expectInert(transcript());
  });

  test('shows the same turn in two pages, and in a page that is loaded again', async () => {
    const other = await browser.open({ problems });
    await other.goto(example.url);
    await say('slow');
    await other.getByRole('log').getByText('3 🐑').waitFor();
    await other.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').getByText('Cancelled').waitFor();
    await other.close();
    const texts = () => transcript().locator('article').locator('.text, .markdown').allTextContents();
    const before = await texts();
    expect(before.join()).not.toContain('500 🐑');
    await page.reload();
    await eventually(texts).toEqual(before);
  });
});

test('the bridge turns away a page of another site', async () => {
  const example = await startExample('built');
  try {
    const socket = new WebSocket(example.bridge, { origin: 'http://evil.example' });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('401');
  } finally {
    await example.stop();
  }
});

test('the page connects by itself when a bridge that ended is started again', async () => {
  const example = await startExample('built');
  try {
    const page = await browser.open();
    await page.goto(example.url);
    const isReady = () =>
      page.getByRole('button', { name: 'New session' }).and(page.locator(':enabled')).waitFor();
    await isReady();
    await example.stopBridge();
    await page.getByRole('status').getByText('Connecting…').waitFor();
    await example.startBridge();
    await isReady();
    await page.close();
  } finally {
    await example.stop();
  }
});
