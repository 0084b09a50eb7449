import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { dialectNames } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { someOf } from '../support/runs.ts';
import { launchBrowser } from './browser.ts';
import { runSavedTest, startInspector } from './inspector-page.ts';

/** Where a person clicks on something. */
async function centerOf(shown: Locator): Promise<[x: number, y: number]> {
  const { x, y, width, height } = (await shown.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return [x + width / 2, y + height / 2];
}

test.each(someOf(dialectNames))(
  'with an agent that speaks %s, a person answers a permission, finds the message of a tool call, goes back in time, runs the saved test, and deletes one session',
  async (dialect) => {
    const folder = await mkdtemp(join(tmpdir(), 'acp-inspector-path-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const live = await startInspector(folder, dialect);
    onTestFinished(() => live.stop());
    const browser = await launchBrowser();
    onTestFinished(() => browser.close());
    const problems: string[] = [];
    const page = await browser.open({ problems });
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(live.url);
    await page.getByRole('status').getByText('open', { exact: true }).waitFor();

    await page.getByRole('textbox', { name: 'Prompt' }).fill('edit a note about tea');
    await page.keyboard.press('Enter');
    const permission = page.getByRole('group', { name: 'The agent asks for a permission' });
    await permission.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.locator('article .add', { hasText: 'edit a note about tea' }).waitFor();
    await page.getByText(/^idle · end_turn/).waitFor();

    const entries = page.locator('article');
    await entries.filter({ hasText: 'Edit NOTES.md' }).first().click();
    await eventually(() => page.locator('.row.marked').count()).toBeGreaterThan(1);
    await eventually(() => page.locator('.row[aria-selected=true]').textContent()).toContain('tool_call');
    const messages = page.getByRole('listbox', { name: 'Messages' }).getByRole('option');
    await messages.filter({ hasText: 'agent_message_chunk' }).last().click();
    await eventually(() => entries.last().getAttribute('class')).toContain('marked');
    await eventually(() => page.locator('article.marked').count()).toBe(1);
    await messages.filter({ hasText: 'tool_call_update' }).first().click();
    await page.locator('article.marked', { hasText: 'Edit NOTES.md' }).waitFor();

    const all = await entries.count();
    const time = page.getByRole('slider', { name: 'Time' });
    const last = Number(await time.getAttribute('max'));
    await time.fill('0');
    await eventually(() => entries.count()).toBeLessThan(all);
    await time.fill(String(last));
    await eventually(() => entries.count()).toBe(all);

    await page.getByRole('button', { name: 'Save' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /^Test/ }).click();
    const saved = await readFile(await (await download).path(), 'utf8');
    expect(saved).toContain('playback(recording)');
    expect(await runSavedTest(saved)).toContain('1 passed');

    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('hello');
    await page.keyboard.press('Enter');
    await entries.filter({ hasText: 'You wrote: “hello”' }).waitFor();
    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    const deleted = page.getByRole('listitem').filter({ hasText: 'a note about tea' });
    const ask = deleted.getByRole('button', { name: 'Delete…' });
    const question = deleted.getByText('Delete this session for good?');
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 860 });
      const again = await centerOf(ask);
      await page.mouse.click(...again);
      await question.waitFor();
      // A second click asks once more: nothing has moved.
      await page.mouse.click(...again);
      await deleted.getByRole('button', { name: 'Keep' }).click();
      await question.waitFor({ state: 'detached' });
    }
    await ask.focus();
    await page.keyboard.press('Enter');
    await question.waitFor();
    const confirm = await centerOf(deleted.getByRole('button', { name: 'Delete', exact: true }));
    await page.mouse.click(...confirm);
    await deleted.getByText('Deleted').waitFor();
    await page.mouse.click(...confirm);
    await page.getByPlaceholder(/^Search/).fill('method:session/delete');
    // Whatever was sent before the answer is in the list.
    await messages.filter({ hasText: 'answer' }).waitFor();
    expect(await messages.count()).toBe(2);
    await page.close();
    expect(problems).toEqual([]);
  },
);
