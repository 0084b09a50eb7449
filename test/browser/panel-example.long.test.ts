import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { dialectNames } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import type { ExampleHost } from '../support/example-host.ts';
import { someOf } from '../support/runs.ts';
import { sharedBrowser, styleOf } from './browser.ts';
import { linesOf, startExample } from './example.ts';

const browser = sharedBrowser();

const example = resolve(import.meta.dirname, '../../docs/examples/panel');

test('the program has at most 125 lines, and the script of the page 80, without empty ones', () => {
  const lines = (name: string) => linesOf(join(example, name));
  const names = readdirSync(example).filter((name) => name !== 'README.md');
  expect(names.reduce((sum, name) => sum + lines(name), 0)).toBeLessThanOrEqual(125);
  expect(lines('page.js')).toBeLessThanOrEqual(80);
});

describe.each(someOf(dialectNames))('the panel, with an agent that speaks %s', (dialect) => {
  let panel: ExampleHost;
  beforeAll(async () => {
    panel = await startExample('panel', { dialect });
  });
  afterAll(() => panel?.stop());

  let page: Page;
  let problems: string[];
  beforeEach(async () => {
    problems = [];
    page = await browser.open({ problems });
    await page.goto(panel.url);
    await page.getByRole('status').getByText('Agent: ready').waitFor();
  });
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  const transcript = () => page.getByRole('log');
  const activity = (text: string) => page.getByText(text, { exact: true }).waitFor();
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
  };
  const startSession = async () => {
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('heading', { level: 1, name: 'New session' }).waitFor();
    await eventually(() => transcript().locator('section').count()).toBe(0);
  };

  test('lists the sessions, and opens one with its history', async () => {
    await page.getByRole('button', { name: 'The day that never was' }).click();
    await page.getByRole('heading', { level: 1, name: 'The day that never was' }).waitFor();
    await transcript().getByText('and I swear I did not touch it').waitFor();
    await transcript().locator('.add', { hasText: 'isLeapYear(year)' }).first().waitFor();
    // The end is in view.
    expect(await page.locator('#view').evaluate((view) => view.scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Old logs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Old logs' }).waitFor();
    expect(await transcript().getByText('and I swear I did not touch it').count()).toBe(0);
  });

  test('streams an answer, and cancels it', async () => {
    await startSession();
    await say('slow');
    await transcript().getByText('2 🐑').waitFor();
    await activity('Working');
    await transcript().getByText('9 🐑').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await activity('Cancelled');
    expect(await transcript().textContent()).not.toContain('500 🐑');
  });

  test('asks for a permission, shows the diff in its colors, and fits at 390 pixels', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await startSession();
    await say('edit a note about tea');
    await page.getByText('Edit NOTES.md').last().waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const added = transcript().locator('.add', { hasText: 'edit a note about tea' });
    expect(await styleOf(added, 'backgroundColor')).not.toBe('rgba(0, 0, 0, 0)');
    await activity('Done');
    expect(await page.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
    // The agent has named the session.
    await page.getByRole('navigation').getByRole('button', { name: 'edit a note about tea' }).waitFor();
    expect(await page.locator('html').evaluate((e) => e.scrollWidth)).toBeLessThanOrEqual(390);
  });

  test('draws an answer as Markdown, and the plan above the input', async () => {
    await startSession();
    await say('plan');
    await activity('Done');
    await page.getByRole('region', { name: 'Plan' }).locator('li.task', { hasText: '☑' }).first().waitFor();
    await page.getByRole('button', { name: 'Old logs' }).click();
    await transcript().locator('.markdown').first().waitFor();
    await eventually(() => page.getByRole('region', { name: 'Plan' }).textContent()).toBe('');
  });

  test('shows the output of a command', async () => {
    await startSession();
    await say('run the tests');
    await transcript().locator('pre', { hasText: '2 passed' }).waitFor();
    await activity('Done');
  });

  test('shows that the agent crashed, and continues with the session when it has started again', async () => {
    await startSession();
    await say('crash');
    await transcript().locator('.other', { hasText: 'exited with code 1' }).waitFor();
    await page.getByRole('alert').getByText('exited with code 1').waitFor();
    await page.getByRole('status').getByText('Agent: ready').waitFor();
    await say('hello again');
    await transcript().getByText('You wrote: “hello again”').waitFor();
    await activity('Done');
    expect(await transcript().locator('.other', { hasText: 'exited with code 1' }).count()).toBe(1);
    // The problem of the last prompt is not the problem of this one.
    await eventually(() => page.getByRole('alert').textContent()).toBe('');
  });

  test('shows the session again in a page that is opened later', async () => {
    await startSession();
    await say('hello');
    await activity('Done');
    const text = await transcript().textContent();
    await page.reload();
    problems.length = 0; // a reload ends the open requests of the page
    await eventually(() => transcript().textContent()).toBe(text);
  });

  test('returns the text of a prompt that the agent refuses', async () => {
    await startSession();
    await say('an error, please');
    // An agent of version 1 does not tell whether it refuses a prompt or fails in the turn: the prompt stays, and the
    // transcript says how the turn failed.
    const said = dialect === 'v1' ? transcript().locator('.other') : page.getByRole('alert');
    await said.getByText('so here is one').waitFor();
    const returned = dialect === 'v1' ? '' : 'an error, please';
    await eventually(() => page.getByRole('textbox').inputValue()).toBe(returned);
  });

  test.each([{ host: 'evil.example' }, { origin: 'http://evil.example' }])(
    'a request of another page is refused: %j',
    async (headers) => {
      const status = await new Promise((resolve) => {
        request(panel.url, { method: 'POST', headers }, ({ statusCode }) => resolve(statusCode)).end('{}');
      });
      expect(status).toBe(403);
    },
  );

  test('a WebSocket of another page is refused', async () => {
    const url = panel.url.replace('http:', 'ws:');
    const open = (origin: string) => {
      const socket = new WebSocket(url, { origin });
      return once(socket, 'open').then(
        () => socket.terminate(),
        (error: Error) => error.message,
      );
    };
    expect(await open('http://evil.example')).toContain('401');
    expect(await open(panel.url)).toBeUndefined();
  });
});
