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

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.each([
  ['built', undefined],
  ['built', 'v1'],
  ['built', 'v2-markers'],
  ['developed', undefined],
] as const)('the example, %s, with an agent that speaks %s', (way, dialect) => {
  let example: Example;
  beforeAll(async () => {
    example = await startExample(way, dialect);
  });
  afterAll(() => example?.stop());

  let page: Page;
  let problems: string[];
  beforeEach(async () => {
    problems = [];
    page = await browser.open({ problems });
    await page.goto(`${example.url}#example-leap-day`);
    await page.locator('.phase', { hasText: 'open' }).waitFor();
  });
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  const transcript = () => page.getByRole('log');
  const activity = () => page.locator('.composer .note');
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };

  const startSession = async () => {
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('heading', { level: 2, name: 'New session' }).waitFor();
  };

  test('lists the sessions and replays the one that is named in the address', async () => {
    await page.getByRole('heading', { level: 2, name: 'The day that never was' }).waitFor();
    expect(await page.getByRole('navigation').getByRole('listitem').count()).toBeGreaterThanOrEqual(3);
    await transcript().locator('[data-change="added"]', { hasText: 'isLeapYear(year)' }).first().waitFor();
    await transcript().locator('.user').first().waitFor();
    expect(await transcript().locator('.agent').count()).toBeGreaterThan(0);
    // The end is in view, though a picture above it took its room only later.
    const scroller = page.getByRole('main');
    const below = () => scroller.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
    await eventually(below).toBeLessThan(2);
  });

  test('asks for the permission, shows the diff, and goes on', async () => {
    await startSession();
    await say('edit a note about tea');
    const permission = page.getByRole('region', { name: 'Permission' });
    await permission.waitFor();
    await activity().getByText('Waiting for you').waitFor();
    await permission.getByRole('button', { name: 'Allow', exact: true }).click();
    await transcript().locator('[data-change="added"]', { hasText: 'edit a note about tea' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
    await eventually(() => permission.count()).toBe(0);
    await eventually(() => transcript().locator('.tool').getAttribute('data-status')).toBe('completed');
    // What the session is called, and its place in the list, are the agent's to say.
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /^edit a note about tea/ })
      .waitFor();
  });

  test('has no fault for axe-core with a question and the sessions, and nothing wider than 390 pixels', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Sessions' }).click();
    await startSession();
    await say('edit a note about tea');
    const permission = page.getByRole('region', { name: 'Permission' });
    await permission.locator('[data-change="added"]', { hasText: 'edit a note about tea' }).waitFor();
    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.getByRole('list', { name: 'Sessions' }).waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      if (pictures) await page.screenshot({ path: join(pictures, `web-${way}-${width}.png`) });
    }
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('body').evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(0);
    await permission.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
  });

  test('draws Markdown of the agent, and keeps its HTML, its scripts and its pictures inert', async () => {
    await startSession();
    await say(hostileMarkdown);
    await expectInert(transcript());
  });

  test('cancels what takes long, and shows it as it was in a page that is loaded again', async () => {
    await startSession();
    await say('slow');
    await transcript().getByText('5 🐑').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await activity().getByText('Cancelled').waitFor();
    const texts = () => transcript().locator('article').locator('.text, .markdown').allTextContents();
    const before = await texts();
    expect(before.join()).not.toContain('500 🐑');
    // The bridge has the session, so that a page that is loaded again shows it as well.
    await page.reload();
    await eventually(texts).toEqual(before);
  });

  test('shows why the agent refused a prompt, and returns its text to the input', async () => {
    await startSession();
    await say('an error, please');
    // An agent of version 1 does not tell whether it refuses a prompt or fails in the turn: the prompt stays.
    const said = dialect === 'v1' ? transcript().locator('.failure') : page.getByRole('alert');
    await said.getByText('so here is one').waitFor();
    expect(await page.getByText('so here is one').count()).toBe(1);
    const returned = dialect === 'v1' ? '' : 'an error, please';
    await eventually(() => page.getByRole('textbox').inputValue()).toBe(returned);
    if (dialect !== 'v1') await page.getByRole('alert').getByRole('button', { name: 'Dismiss' }).click();
    await eventually(() => page.getByRole('alert').count()).toBe(0);
  });

  test('says how an agent ended that crashed, and goes on with a new one', async () => {
    await page.getByRole('heading', { level: 2, name: 'The day that never was' }).waitFor();
    await say('crash');
    const alert = page.getByRole('alert');
    await alert.getByText('exited with code 1').waitFor();
    await transcript().getByText('Before I say anything else').waitFor();
    await page.locator('.phase', { hasText: 'open' }).waitFor();
    await say('Still there?');
    await transcript().locator('.agent').getByText('Still there?').waitFor();
    await page.getByRole('heading', { level: 2, name: 'The day that never was' }).waitFor();
    await eventually(() => alert.count()).toBe(0);
  });

  test('shows the same turn in two pages', async () => {
    await startSession();
    const other = await browser.open({ problems });
    await other.goto(example.url);
    await say('slow');
    await other.getByRole('log').getByText('3 🐑').waitFor();
    await other.getByRole('button', { name: 'Cancel' }).click();
    await activity().getByText('Cancelled').waitFor();
    await other.close();
  });
});

test('the bridge turns away a page of another site', async () => {
  const example = await startExample('built');
  try {
    const socket = new WebSocket(example.bridge, {
      origin: 'http://evil.example',
    });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('401');
  } finally {
    await example.stop();
  }
});

test('a bridge that ends is reported, and the page connects by itself when it is started again', async () => {
  const example = await startExample('built');
  try {
    const page = await browser.open();
    await page.goto(`${example.url}#example-leap-day`);
    const title = page.getByRole('heading', { level: 2, name: 'The day that never was' });
    await title.waitFor();
    await example.stopBridge();
    await page.getByRole('alert').getByText(`has no connection to ${example.bridge}`).waitFor();
    await example.startBridge();
    await page.locator('.phase', { hasText: 'open' }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /^The day that never was/ })
      .click();
    await title.waitFor();
    await page.close();
  } finally {
    await example.stop();
  }
});
