import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { says } from '../../support/asking-agent.ts';
import { eventually } from '../../support/eventually.ts';
import { hostOptions } from '../../support/panel-pair.ts';
import { takePicture } from '../browser.ts';
import { accessibilityFaults } from '../inspector-page.ts';
import { answeringHost, asksToEdit, hostOf, longWord } from '../panel-hosts.ts';
import { panelSite, say } from '../panel-page.ts';
import { expectReached } from '../reached.ts';

const site = panelSite({ hasScrollBars: true });

const question = (page: Page) => page.locator('.question:not([hidden])');

/** The parts that scroll to the side. Code, diffs and tables may, in a box of their own. */
const scrolledParts = (page: Page) =>
  page.evaluate<readonly string[]>(`[document.documentElement,
    ...document.querySelector('acp-panel').shadowRoot.querySelectorAll(':not(pre, pre *, .table, .sr-only)'),
  ].filter((each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).overflowX === 'auto')
    .map((each) => each.className || each.localName)`);

const asksWithLongWords = async (agent: ScriptedAgent) => {
  agent.update(
    's1',
    says(`A word: ${longWord}, and \`${longWord}\`.\n\n| One | Two |\n|---|---|\n| ${longWord} | b |`),
  );
  await asksToEdit(agent, {
    title: `Edit ${longWord}`,
    locations: [{ path: `/home/user/project/${longWord}` }],
    content: [
      {
        type: 'diff',
        path: `/home/user/project/${longWord}`,
        oldText: 'one\n',
        newText: `${longWord}\ntwo\n`,
      },
    ],
  });
};

describe('nothing is wider than the element, and each button can be reached,', () => {
  test.each([
    [180, 860],
    [300, 860],
    [600, 860],
    [1200, 860],
    [1600, 860],
    [180, 300],
    [300, 300],
    [1200, 300],
  ])('at %i by %i pixels', async (width, height) => {
    const { page } = await site.open({
      hosts: [
        answeringHost(asksWithLongWords, {
          options: { editor: { openDiff: () => {}, openLocation: () => {} } },
        }),
      ],
    });
    await page.setViewportSize({ width, height });
    await say(page, `Edit ${longWord}.`);
    await question(page).getByRole('button', { name: 'Allow' }).waitFor();
    await takePicture(page, `element-question-${width}x${height}`);
    expect(await scrolledParts(page)).toEqual([]);
    for (const button of await page.locator('button:visible, select:visible').all()) {
      await expectReached(button);
    }
    await question(page).getByRole('button', { name: 'Allow' }).click();
    await question(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open diff' }).waitFor();
    await takePicture(page, `element-diff-${width}x${height}`);
    expect(await scrolledParts(page)).toEqual([]);
    for (const button of await page.locator('header button, .composer button').all()) {
      await expectReached(button);
    }
    // One in the transcript can be higher than what is visible of it.
    for (const button of await page.locator('main button').all()) await button.click({ trial: true });
  });
});

const themes = {
  light: { colorScheme: 'light', contrast: 'no-preference' },
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  'more contrast, light': { colorScheme: 'light', contrast: 'more' },
  'more contrast, dark': { colorScheme: 'dark', contrast: 'more' },
} as const;

const asking = resolve(import.meta.dirname, '../agents/asking.mjs');

test.each(Object.entries(themes))('axe-core finds no fault in %s', async (theme, media) => {
  const { page } = await site.open({ hosts: [await hostOf(asking, '20')] });
  await page.emulateMedia(media);
  await page.setViewportSize({ width: 600, height: 860 });
  const look = async (name: string) => {
    await takePicture(page, `element-${name}-${theme.replaceAll(/\W+/g, '-')}`);
    return [name, ...(await accessibilityFaults(page))];
  };
  const found: (readonly string[])[] = [];
  await page.getByText('open an earlier session').waitFor();
  found.push(await look('empty'));
  await say(page, 'plan');
  await question(page).getByRole('heading', { name: 'Make edits?' }).waitFor();
  found.push(await look('question'));
  for (const next of ['Run a command?', 'Call a tool?', null]) {
    await page.keyboard.press('1');
    if (next) await question(page).getByRole('heading', { name: next }).waitFor();
  }
  await page.getByText('End of “plan”.').waitFor();
  await page.locator('.diff').first().waitFor();
  found.push(await look('diff'));
  await say(page, 'form');
  await question(page).getByRole('heading', { name: 'Which tea?' }).waitFor();
  found.push(await look('form'));
  await question(page).getByRole('button', { name: 'Decline' }).click();
  await page.getByText('End of “form”.').waitFor();
  await page.getByRole('button', { name: /^Session:/ }).click();
  await page.locator('.session-item').first().waitFor();
  found.push(await look('sessions'));
  expect(found).toEqual([['empty'], ['question'], ['diff'], ['form'], ['sessions']]);
});

test('shows its language from right to left, with code from left to right', async () => {
  const { page } = await site.open({
    hosts: [answeringHost(asksWithLongWords)],
    body: '<acp-panel dir="rtl"></acp-panel>',
  });
  await page.setViewportSize({ width: 600, height: 860 });
  await say(page, 'ערוך את הקובץ');
  await question(page).waitFor();
  await takePicture(page, 'element-rtl');
  const directions = await page
    .locator('.diff pre, .counts ins, .composer, header')
    .evaluateAll((all) => all.map((each) => each.ownerDocument.defaultView.getComputedStyle(each).direction));
  expect(directions).toEqual(['rtl', 'ltr', 'ltr', 'ltr', 'ltr', 'rtl']);
});

test('a start that takes long says so, and can show its log and end', async () => {
  const logs: string[] = [];
  const { options } = hostOptions({
    options: { editor: { showLog: () => void logs.push('shown') } },
    script: (agent) => agent.on('initialize', () => noAnswer),
  });
  const { page, served } = await site.open({ hosts: [options] });
  onTestFinished(() => served[0]?.close());
  await page.getByText('Starting the agent…').waitFor();
  await page.getByRole('button', { name: 'Show log' }).click();
  await eventually(() => logs).toEqual(['shown']);
  await takePicture(page, 'element-long-start');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('status').getByText('The agent is not running').waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
});
