import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { someOf } from '../support/runs.ts';
import { expectInert, hostileMarkdown } from './hostile-markdown.ts';
import { builtExample, type ExamplePage } from './vscode-example.ts';

const built = builtExample();

describe.each(someOf(['v2-baseline', 'v1']))('the webview, with the demo agent that speaks %s', (dialect) => {
  let example: ExamplePage;
  let stored: string;
  beforeEach(async () => {
    stored = await mkdtemp(join(tmpdir(), 'acp-sessions-'));
    const program = built.demoAgent();
    const command = [process.execPath, program, '--dialect', dialect, '--state', stored];
    example = await built.open({ command });
    await sessions().and(example.page.locator(':enabled')).waitFor();
  });
  afterEach(async () => {
    await example.stop();
    await rm(stored, { recursive: true, force: true });
    // Includes what the policy of the page blocked.
    expect(example.problems).toEqual([]);
  });

  const sessions = () => example.page.getByRole('button', { name: /^Session:/ });
  const log = () => example.page.getByRole('log');
  const button = (name: string) => example.page.getByRole('button', { name, exact: true });
  const prompt = async (text: string) => {
    await example.page.getByRole('textbox', { name: 'Prompt' }).fill(text);
    await button('Send').click();
  };

  test('shows a session with its history, scrolled to the end', async () => {
    await sessions().click();
    await example.page
      .getByRole('dialog')
      .getByRole('button', { name: /^The day that never was/ })
      .click();
    await log().locator('[data-change="added"]', { hasText: 'isLeapYear(year)' }).first().waitFor();
    await example.page.locator('[role=log][aria-busy=false]').waitFor();
    const scroller = example.page.locator('main');
    const below = () => scroller.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
    await eventually(below).toBeLessThan(2);
    // Nothing is wider than the panel.
    const excess = () => example.page.locator('body').evaluate((e) => e.scrollWidth - e.clientWidth);
    expect(await excess()).toBe(0);
  });

  test('asks for a permission, and shows the change', async () => {
    await prompt('edit a note about tea');
    const permission = example.page.getByRole('region', { name: 'Permission' });
    await permission.getByRole('button', { name: 'Allow', exact: true }).click();
    await log().locator('[data-change="added"]', { hasText: 'edit a note about tea' }).waitFor();
    await button('Cancel').waitFor({ state: 'hidden' });
    await eventually(() => permission.count()).toBe(0);
  });

  test('shows the plan that a permission asks about, and opens its file', async () => {
    await prompt('document');
    const permission = example.page.getByRole('region', { name: 'Permission' });
    await permission.getByRole('heading', { name: 'Move the plants' }).waitFor();
    await permission.getByRole('button', { name: 'PLAN.md' }).click();
    await eventually(() => example.editor.opened).toEqual([{ name: 'PLAN.md', line: null }]);
    await permission.getByRole('button', { name: 'Allow', exact: true }).click();
    const plans = example.page.getByRole('region', { name: 'Plans' });
    await plans.getByRole('heading', { name: 'Move the plants' }).waitFor();
  });

  test('draws Markdown of the agent, and keeps its HTML, its scripts and its pictures inert', async () => {
    await prompt(hostileMarkdown);
    await expectInert(log());
  });

  test('streams a turn, and cancels it', async () => {
    await prompt('slow');
    await log().getByText('3 🐑').waitFor();
    await button('Cancel').click();
    await button('Cancel').waitFor({ state: 'hidden' });
    expect(await log().innerText()).not.toContain('500 🐑');
  });

  test('sends a message into the turn that runs, queues another one, and takes it back', async () => {
    await prompt('slow');
    await log().getByText('3 🐑').waitFor();
    const input = example.page.getByRole('textbox', { name: 'Prompt' });
    await input.fill('Count goats.');
    await button('Steer').waitFor();
    await input.press('Enter');
    await log().getByText('while I was at work: “Count goats.”').waitFor();
    await input.fill('And then stop.');
    await input.press('Alt+Enter');
    const waiting = example.page.getByRole('list', { name: 'Waiting messages' });
    await waiting.getByText('And then stop.').waitFor();
    await eventually(() => input.inputValue()).toBe('');
    await input.fill('Now.');
    await waiting.getByRole('button', { name: 'Edit “And then stop.”' }).click();
    await eventually(() => input.inputValue()).toBe('And then stop.\n\nNow.');
    await waiting.waitFor({ state: 'hidden' });
    expect(await input.evaluate((element) => element.matches(':focus'))).toBe(true);
    await input.fill('And then stop.');
    await input.press('Alt+Enter');
    await waiting.getByRole('button', { name: 'Remove “And then stop.”' }).click();
    await waiting.waitFor({ state: 'hidden' });
    await button('Cancel').click();
    await button('Cancel').waitFor({ state: 'hidden' });
    expect(await log().getByText('And then stop.').count()).toBe(0);
  });

  test('completes a slash command with the keyboard', async () => {
    await button('New session').click();
    const input = example.page.getByRole('textbox', { name: 'Prompt' });
    await input.fill('/');
    const list = example.page.getByRole('listbox', { name: 'Commands' });
    await list.getByRole('option', { name: '/edit' }).waitFor();
    await input.press('ArrowDown');
    await input.press('Enter');
    await eventually(() => input.inputValue()).toBe('/edit ');
    await input.fill('/im');
    await input.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await eventually(() => input.inputValue()).toBe('/im');
  });

  test('sends an image that the user pastes, and a text file that the user drops', async () => {
    await example.giveFiles();
    const attachments = example.page.getByRole('list', { name: 'Attachments' });
    await attachments.getByText('tea.png').waitFor();
    await attachments.getByText('notes.txt').waitFor();
    await prompt('Look at these.');
    await log().locator('.user img').waitFor();
    await log().locator('.user').getByText('notes.txt').waitFor();
    await eventually(() => attachments.count()).toBe(0);
  });

  test('opens the files of a tool call, and a change, in the editor', async () => {
    await prompt('edit a note about tea');
    await button('Allow').click();
    await log().getByRole('button', { name: 'NOTES.md:4', exact: true }).click();
    await eventually(() => example.editor.opened).toContainEqual({ name: 'NOTES.md', line: 4 });
    await log().getByRole('button', { name: 'Open diff' }).click();
    // An agent of version 2 sends a patch, and not the texts before and after.
    if (dialect === 'v1') await eventually(() => example.editor.diffs.length).toBe(1);
    else await eventually(() => example.editor.opened.at(-1)?.name).toBe('NOTES.md.patch');
  });

  test('has one line of buttons and nothing wider than the panel at 300 pixels', async () => {
    await example.page.setViewportSize({ width: 300, height: 860 });
    await prompt('slow, edit a note and run the tests, as a plan');
    await example.page.getByRole('region', { name: 'Permission' }).waitFor();
    await example.page.getByRole('textbox', { name: 'Prompt' }).fill('And then');
    const tops = () =>
      example.page
        .locator('.controls button')
        .evaluateAll((buttons) => buttons.map((each) => each.getBoundingClientRect().top));
    const found = await tops();
    expect(found.length).toBe(3);
    expect(new Set(found).size).toBe(1);
    const excess = () => example.page.locator('body').evaluate((e) => e.scrollWidth - e.clientWidth);
    expect(await excess()).toBe(0);
    await button('Cancel').click();
    await button('Cancel').waitFor({ state: 'hidden' });
  });

  test('keeps the text of the input and the conversation when the view is shown again', async () => {
    await prompt('slow');
    await log().getByText('3 🐑').waitFor();
    await example.page.getByRole('textbox').fill('And then');
    await example.page.reload();
    await log().getByText('9 🐑').waitFor();
    await eventually(() => example.page.getByRole('textbox').inputValue()).toBe('And then');
    await button('Cancel').click();
    await button('Cancel').waitFor({ state: 'hidden' });
  });

  test('changes a setting', async () => {
    await button('New session').click();
    const setting = example.page.locator('select.setting').first();
    await setting.waitFor();
    const values = await setting
      .locator('option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value')));
    const other = values.find((value) => value !== null && value !== values[0]);
    if (!other) throw new Error('The setting has one value only.');
    await setting.selectOption(other);
    await eventually(() => setting.inputValue()).toBe(other);
  });

  test('shows a crash, with what happens next before the output of the agent, and continues after it', async () => {
    await prompt('crash');
    const alert = example.page.getByRole('alert');
    await alert.getByText('exited with code 1').waitFor();
    await alert.getByText('started again').waitFor();
    await alert.locator('pre').getByText('has the word "crash" in it').waitFor();
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await prompt('Still there?');
    await log().locator('.agent').getByText('Still there?').waitFor();
  });
});

test('an agent that does not start is shown, and the user can start it again', async () => {
  const { page, stop } = await built.open({ command: ['/no/such/agent'] });
  try {
    const alert = page.getByRole('alert');
    await alert.getByText('/no/such/agent').waitFor();
    await alert.getByRole('button', { name: 'Start again' }).click();
    await alert.getByText('/no/such/agent').waitFor();
  } finally {
    await stop();
  }
});
