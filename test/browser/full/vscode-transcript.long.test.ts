import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { styleOf } from '../browser.ts';
import { builtExample, type ExamplePage } from '../vscode-example.ts';

const built = builtExample();

let example: ExamplePage;
beforeEach(async () => {
  const program = join(import.meta.dirname, '../programs/drawing-agent.mjs');
  example = await built.open({ command: [process.execPath, program] });
});
afterEach(async () => {
  await example.stop();
  expect(example.problems).toEqual([]);
});

const log = () => example.page.getByRole('log');
async function ask(text: string): Promise<void> {
  await example.page.getByRole('textbox', { name: 'Prompt' }).fill(text);
  await example.page.getByRole('button', { name: 'Send', exact: true }).click();
  await log().locator('.user', { hasText: text }).waitFor();
}

test('Markdown has code with its language and a button, tasks, and tables whose words are whole', async () => {
  await ask('markdown');
  const code = log().locator('.code', { hasText: 'const name' });
  await code.waitFor();
  expect(await code.locator('span').textContent()).toBe('ts');
  const answer = log().getByRole('article', { name: 'Agent' });
  // The agents of the first page are boxes with columns. An answer is neither.
  expect([await styleOf(answer, 'display'), await styleOf(answer, 'borderStyle')]).toEqual(['block', 'none']);
  expect(await log().textContent()).not.toContain('\u202e');
  expect(await log().getByRole('button', { name: 'Copy', exact: true }).count()).toBe(2);
  expect(await log().locator('li.task').allTextContents()).toEqual(['☐ a task', '☑ a done task']);
  const heading = log().locator('th', { hasText: 'Column three' });
  const lines = await heading.evaluate((e) => e.getClientRects().length && e.offsetHeight);
  const cell = await log()
    .locator('td', { hasText: /^c$/ })
    .evaluate((e) => e.clientWidth);
  expect(lines).toBeLessThan(40);
  expect(cell).toBeGreaterThan(40);
  expect(await styleOf(code.locator('code'), 'backgroundColor')).toBe('rgba(0, 0, 0, 0)');
  const excess = await example.page.locator('body').evaluate((e) => e.scrollWidth - e.clientWidth);
  expect(excess).toBe(0);
});

test('a finished block of Markdown stays the same element when another message of the turn comes', async () => {
  await ask('markdown');
  const heading = log().locator('h1');
  await heading.evaluate((e) => e.setAttribute('data-kept', ''));
  await ask('tools');
  await log().getByText('12 tool calls').waitFor();
  expect(await heading.getAttribute('data-kept')).toBe('');
});

test('code in view gets the colors of its language, and stays the same text', async () => {
  await ask('markdown');
  const code = log().locator('.code', { hasText: 'const name' });
  await code.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  expect(await code.locator('.hljs-string').textContent()).toBe('"value"');
  expect(await code.locator('pre').textContent()).toBe('const name: string = "value"; // \ufffdevil\n');
  await ask('long');
  const pieces = log().locator('.code', { hasText: 'value3000' }).locator('pre > code');
  await pieces.last().locator('.hljs-keyword').first().waitFor();
  // What is out of view has none.
  expect(await pieces.first().locator('.hljs-keyword').count()).toBe(0);
  const text = await pieces.last().textContent();
  expect(text?.trimEnd().split('\n').at(-1)).toBe('const value3000 = compute(input);');
});

test('a list that grows keeps the items that are there, and has parts that the browser can skip', async () => {
  await ask('list');
  const items = log().locator('.markdown li');
  await items.nth(1).waitFor();
  await items.nth(0).evaluate((e) => Reflect.set(e, 'isKept', true));
  await example.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await items.nth(2).waitFor();
  expect(await items.allTextContents()).toEqual(['one', 'two', 'three']);
  expect(await items.nth(0).evaluate((e) => Reflect.get(e, 'isKept'))).toBe(true);
  await ask('items');
  await eventually(() => items.count()).toBe(3 + 500);
  await example.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await eventually(() => items.count()).toBe(3 + 1000);
  // What comes joins none of the long parts that are there: in each frame the browser goes through all that is in view.
  const groups = log().locator('.markdown').last().locator('.blocks');
  expect(await groups.count()).toBeGreaterThan(1);
  expect(await groups.first().locator('li').count()).toBeLessThan(600);
});

test('a long text that comes at once is drawn from its end, and as a whole when nothing new comes', async () => {
  // In the frame in which the end is there. A string, because tests are compiled without the types of a browser.
  const lateAtTheEnd = example.page.evaluate<number>(`new Promise((resolve) => {
    const page = document.querySelector('acp-panel').shadowRoot.firstElementChild;
    const look = () => {
      const isThere = page.textContent.includes('The end of the text.');
      if (isThere) resolve(page.querySelectorAll('.late').length);
      else requestAnimationFrame(look);
    };
    look();
  })`);
  await ask('long');
  expect(await lateAtTheEnd).toBeGreaterThan(500);
  await eventually(() => log().locator('.late').count()).toBe(0);
  expect(await log().locator('.markdown p').count()).toBe(1001);
  const code = (await log().locator('pre').textContent()) ?? '';
  expect(code.trim().split('\n').length).toBe(3000);
  // The browser skips each group that is out of view. If the last one became such a group only later, all of its styles
  // would be computed once more, and each frame of a long text would take longer than the one before.
  const groups = log().locator('.blocks');
  const sections = log().locator('.section');
  expect(await groups.count()).toBeGreaterThan(30);
  // It does not look at each group of a section that is out of view.
  expect(await sections.count()).toBe(Math.ceil((await groups.count()) / 16));
  const visibilities = await log()
    .locator('.blocks, .section')
    .evaluateAll((all) => all.map((e) => e.ownerDocument.defaultView.getComputedStyle(e).contentVisibility));
  expect(new Set(visibilities)).toEqual(new Set(['auto']));
});

test('what comes near the view is drawn while a text grows, and what is far from it waits', async () => {
  await ask('more');
  const end = log().getByText('The end of the text.');
  await end.waitFor();
  const lateIn = (part: string) => log().locator(part).locator('.late').count();
  await example.page.getByRole('main').evaluate((e) => e.scrollTo({ top: 0 }));
  await eventually(() => lateIn('.section:nth-child(1) .blocks:nth-child(1)')).toBe(0);
  expect(await lateIn('.section:nth-child(2)')).toBeGreaterThan(0);
  await end.scrollIntoViewIfNeeded();
  await example.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await eventually(() => lateIn('.section')).toBe(0);
});

test('a button goes to the end of the conversation, as long as the user has scrolled up', async () => {
  await ask('long');
  const toEnd = example.page.getByRole('button', { name: 'Go to the end' });
  const end = log().getByText('The end of the text.');
  await eventually(() => log().locator('.late').count()).toBe(0);
  expect(await toEnd.count()).toBe(0);
  const main = example.page.getByRole('main');
  await main.evaluate((e) => e.scrollTo({ top: 0 }));
  await toEnd.click();
  await toEnd.waitFor({ state: 'detached' });
  const isSeen = () =>
    end.evaluate((e) => e.getBoundingClientRect().top < e.ownerDocument.defaultView.innerHeight);
  await eventually(isSeen).toBe(true);
  expect(await main.evaluate((e) => e.matches(':focus'))).toBe(true);
});

test('nothing moves away under a pressed pointer, and the end is in view when it is released', async () => {
  await ask('long');
  await eventually(() => log().locator('.late').count()).toBe(0);
  await ask('list');
  const items = log().locator('.markdown li');
  await items.nth(1).waitFor();
  const main = example.page.getByRole('main');
  const top = () => main.evaluate((e) => e.scrollTop);
  const below = () => main.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
  await eventually(below).toBeLessThan(1);
  await items.nth(0).hover();
  const before = await top();
  await example.page.mouse.down();
  await example.page.getByRole('button', { name: 'Cancel', exact: true }).evaluate((e) => e.click());
  await items.nth(2).waitFor();
  // The frame in which it would have been scrolled.
  await example.page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  expect(await top()).toBe(before);
  await example.page.mouse.up();
  await eventually(below).toBeLessThan(1);
});

test('an answer can be copied as the Markdown that the agent has sent, without invisible characters', async () => {
  await example.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await ask('markdown');
  const answer = log().getByRole('article', { name: 'Agent' });
  await answer.hover();
  await answer.getByRole('button', { name: 'Copy answer' }).click();
  await answer.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await example.page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toContain('- [x] a done task\n');
  expect(copied).not.toContain('\u202e');
});

test('an agent that is not known to ask, and one that never does, have a warning above the input', async () => {
  const warning = () => example.page.locator('.composer .warning');
  await ask('tools');
  await log().getByText('12 tool calls').waitFor();
  await warning().getByText('This agent may act without asking').waitFor();
  await example.stop();
  const program = join(import.meta.dirname, '../programs/drawing-agent.mjs');
  example = await built.open({ command: [process.execPath, program, 'pi-acp'] });
  await warning().getByText('never asks for permission').waitFor();
});

test('a long diff shows its first lines, with counts, and more when the user asks', async () => {
  await ask('diff');
  const diff = log().locator('.diff');
  await diff.locator('.counts', { hasText: /\+[\d,]+ -[\d,]+/ }).waitFor();
  const shown = () => diff.locator('[data-change]').count();
  expect(await shown()).toBe(500);
  await diff.getByRole('button', { name: /^Show 500 more of [\d,]+ lines$/ }).click();
  await eventually(shown).toBe(1000);
});

test('long output shows its start, and all of it when the user asks', async () => {
  await ask('output');
  // A command that the agent did not end may go on behind the turn: it stays open.
  const output = log().locator('.tool pre');
  await output.waitFor();
  const length = () => output.textContent().then((text) => text?.length ?? 0);
  expect(await length()).toBeLessThanOrEqual(20_000);
  await log()
    .getByRole('button', { name: /^Show [\d,]+ more characters$/ })
    .click();
  await eventually(length).toBeGreaterThan(800_000);
});

test('twelve finished tool calls are folded, each one line with a title', async () => {
  await ask('tools');
  const group = log().locator('details.tools');
  await group.getByText('12 tool calls').click();
  await group.getByText('Read file 21').waitFor();
  expect(await group.locator('.tool').count()).toBe(12);
  const heights = await group.locator('.tool').evaluateAll((all) => all.map((e) => e.clientHeight));
  expect(Math.max(...heights)).toBeLessThan(36);
});

test('an image that is none has its name instead', async () => {
  await ask('image');
  await log().getByText('The image “tea.png” cannot be shown.').waitFor();
  expect(await log().locator('img').count()).toBe(0);
});
