import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { foldTraffic } from '../../src/entries/testing.ts';
import { dialectNames } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { someOf } from '../support/runs.ts';
import { launchBrowser } from './browser.ts';
import { startInspector } from './inspector-page.ts';

test.each(someOf(dialectNames))(
  'with an agent that speaks %s, a person answers a permission, finds the message of a tool call, goes back in time, saves the recording, and begins another session',
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
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
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

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save' }).click();
    const saved = await readFile(await (await download).path(), 'utf8');
    const { sessions } = await foldTraffic(saved);
    expect(sessions[0]?.conversation.entries).toHaveLength(all);

    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('hello');
    await page.keyboard.press('Enter');
    await entries.filter({ hasText: 'You wrote: “hello”' }).waitFor();
    await page.getByPlaceholder(/^Search/).fill('method:session/new ');
    // The list shows what the search finds.
    await page
      .getByRole('status')
      .getByText(/^4 of \d+$/)
      .waitFor();
    expect(await messages.allTextContents()).toEqual(
      ['→', '←', '→', '←'].map((arrow) => expect.stringContaining(`${arrow} session/new`)),
    );
    await page.close();
    expect(problems).toEqual([]);
  },
);
