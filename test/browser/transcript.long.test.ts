import { expect, test } from 'vitest';
import { renderHtml } from '../../src/core/render/html.ts';
import { conversation, EXAMPLE, message, text, toolCall } from '../unit/render/example.ts';
import { sharedBrowser } from './browser.ts';
import { accessibilityFaults } from './inspector-page.ts';

const browser = sharedBrowser();

const line = 'a line that is much too long for a small screen, whatever the font is';
const block = text(Array.from({ length: 200 }, () => `    ${line} ${line}`).join('\n'));
const long = conversation({
  entries: [
    ...EXAMPLE.entries,
    message('thought', text('Hidden on the screen.')),
    toolCall({ title: 'Run', content: [{ type: 'content', content: block }] }),
  ],
  terminals: EXAMPLE.terminals,
});

test.each(['light', 'dark'] as const)(
  'a %s page of 390 pixels scrolls its code and nothing else',
  async (colorScheme) => {
    const problems: string[] = [];
    const page = await browser.open({ problems });
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.setContent(renderHtml(long));
    const widths = await page.evaluate<{ page: number; code: boolean; spaces: string; background: string }>(`
    const code = [...document.querySelectorAll('pre')].at(-1);
    ({
      page: document.documentElement.scrollWidth,
      code: code.scrollWidth > code.clientWidth,
      spaces: getComputedStyle(code).whiteSpaceCollapse,
      background: getComputedStyle(document.body).backgroundColor,
    })`);
    expect(widths).toMatchObject({ page: 390, code: true, spaces: 'preserve' });
    const [red = 0] = widths.background.match(/\d+/g)?.map(Number) ?? [];
    expect(red > 127).toBe(colorScheme === 'light');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  },
);

test('long output is folded on the screen, and whole on paper', async () => {
  const page = await browser.open();
  await page.setContent(renderHtml(long));
  const fold = page.locator('details.long').last();
  const height = async () => (await fold.boundingBox())?.height ?? 0;
  const folded = await height();
  expect(folded).toBeGreaterThan(100);
  expect(folded).toBeLessThan(400);
  await fold.locator('summary').click();
  expect(await height()).toBeGreaterThan(10 * folded);
  await fold.locator('summary').click();
  await page.emulateMedia({ media: 'print' });
  expect(await height()).toBeGreaterThan(10 * folded);
  const isShown = await page
    .getByText('Hidden on the screen.')
    .evaluate((element) => element.checkVisibility());
  expect(isShown).toBe(true);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.close();
});

test('an anchor leads to its entry', async () => {
  const page = await browser.open();
  await page.setContent(renderHtml(long));
  await page.locator('#e5 a').first().click();
  expect(await page.evaluate("document.querySelector(':target').id")).toBe('e5');
  await page.close();
});
