import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedBrowser } from '../browser/browser.ts';
import { startExample } from '../browser/example.ts';
import { startInspector } from '../browser/inspector-page.ts';
import { nameDirectories } from '../browser/name-directories.ts';
import { pages, root } from '../package/docs/pages.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The pictures of the documentation. `UPDATE_DOCS=1` writes them. */
const folder = join(root, '.site/images');

const say = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
  await page.keyboard.press('Enter');
};
const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true });

/** What a picture shows: the example with the demo agent, after what a user does in it. */
const scenes: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  async web(page) {
    const example = await startExample('web', { dialect: 'v1' });
    onTestFinished(() => example.stop());
    await page.goto(example.url);
    await page.getByRole('button', { name: 'New session' }).and(page.locator(':enabled')).click();
    await page.getByRole('button', { name: 'Session: New session' }).waitFor();
    await say(page, 'edit a note about tea');
    await allow(page).waitFor();
  },
  async hero(page) {
    await page.setViewportSize({ width: 582, height: 598 });
    await scenes['web']?.(page);
  },
  async panel(page) {
    const panel = await startExample('panel', { dialect: 'v1' });
    onTestFinished(() => panel.stop());
    await page.goto(panel.url);
    await page.getByRole('status').getByText('Agent: ready').waitFor();
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('heading', { level: 1, name: 'New session' }).waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('edit a note about tea');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await allow(page).click();
    await page.getByText('Done', { exact: true }).waitFor();
  },
  async inspector(page) {
    const inspector = await startInspector(temporaryFolder(), 'v1');
    onTestFinished(() => inspector.stop());
    await page.goto(inspector.url);
    await page.getByRole('status').getByText('open', { exact: true }).waitFor();
    await say(page, 'edit a note about tea');
    await allow(page).click();
    await page.getByText(/^idle · end_turn/).waitFor();
    await page.locator('article').filter({ hasText: 'Edit NOTES.md' }).first().click();
    await page.locator('.row[aria-selected=true]').waitFor();
  },
};

describe('the pictures', () => {
  const browser = sharedBrowser();

  const names = Object.keys(scenes).flatMap((name) => [
    [name, 'light'],
    [name, 'dark'],
  ]) as readonly (readonly [string, 'light' | 'dark'])[];

  test.each(names)('%s can be taken in %s colors', async (name, colorScheme) => {
    const page = await browser.open();
    onTestFinished(() => page.close());
    await page.setViewportSize({ width: 1200, height: 680 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await scenes[name]?.(page);
    await page.evaluate(nameDirectories);
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    expect(picture.length).toBeLessThan(200_000);
    if (!process.env['UPDATE_DOCS']) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}-${colorScheme}.png`), picture);
  });
});

/** The pictures that come from the suites `chats` and `vscode`, which install what they show. docs/maintaining.md says how. */
const fromSuites = ['copilotkit', 'vscode'];

test('each picture of the documentation is one that a test takes, and is on a page', () => {
  const expected = [...Object.keys(scenes), ...fromSuites].sort();
  const files = readdirSync(folder).sort();
  expect(files).toEqual(expected.flatMap((name) => [`${name}-dark.png`, `${name}-light.png`]));
  for (const file of files) expect(statSync(join(folder, file)).size, file).toBeLessThan(200_000);
  const shown = [...pages, '.site/home.md'].flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/<!-- picture: ([\w-]+): /g)].map(
      ([, name = '']) => name,
    ),
  );
  expect([...new Set(shown)].sort()).toEqual(expected);
});
