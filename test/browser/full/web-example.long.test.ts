import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.ts';
import type { ExampleHost } from '../../support/example-host.ts';
import { sharedBrowser, takePicture } from '../browser.ts';
import { linesOf, startExample } from '../example.ts';
import { expectInert, hostileMarkdown } from '../hostile-markdown.ts';
import { accessibilityFaults } from '../inspector-page.ts';

const browser = sharedBrowser();

/** Starts a session, as soon as the agent is there. */
async function startSession(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New session', exact: true }).and(page.locator(':enabled')).click();
  await page.getByRole('button', { name: 'Session: New session' }).waitFor();
}

test('the server and the page have at most 80 lines together', () => {
  const folder = resolve(import.meta.dirname, '../../../docs/examples/web');
  const names = readdirSync(folder).filter((name) => name !== 'README.md');
  expect(names.sort()).toEqual(['page.css', 'page.html', 'page.js', 'server.mjs']);
  expect(names.reduce((sum, name) => sum + linesOf(join(folder, name)), 0)).toBeLessThanOrEqual(80);
});

describe('the example', () => {
  let example: ExampleHost;
  beforeAll(async () => {
    example = await startExample('web');
  });
  afterAll(() => example?.stop());

  let page: Page;
  let problems: string[];
  beforeEach(async () => {
    problems = [];
    page = await browser.open({ problems });
    await page.goto(example.url);
    await startSession(page);
  });
  afterEach(async () => {
    await page.close();
    // Includes what the policy of the page blocked.
    expect(problems).toEqual([]);
  });

  const transcript = () => page.getByRole('log');
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
  };

  test('has no fault for axe-core with a question, and nothing wider than 390 pixels', async () => {
    await say('edit a note about tea');
    const permission = page.getByRole('region', { name: 'Permission' });
    await permission.locator('[data-change="added"]', { hasText: 'edit a note about tea' }).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await takePicture(page, `web-${width}`);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.locator('html').evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
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

test('the server turns away a page of another site', async () => {
  const example = await startExample('web');
  try {
    const origin = 'http://evil.example';
    expect((await fetch(example.url, { headers: { origin } })).status).toBe(403);
    const [error] = await once(new WebSocket(example.url.replace('http:', 'ws:'), { origin }), 'error');
    expect(String(error)).toContain('401');
  } finally {
    await example.stop();
  }
});

test('the page connects by itself when a server that ended is started again', async () => {
  let example = await startExample('web');
  try {
    const page = await browser.open();
    await page.goto(example.url);
    await startSession(page);
    await example.stop();
    await page.getByRole('status').getByText('Connecting…').waitFor();
    example = await startExample('web', { port: new URL(example.url).port });
    await startSession(page);
    await page.close();
  } finally {
    await example.stop();
  }
});
