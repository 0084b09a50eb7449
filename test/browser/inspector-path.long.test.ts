import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { foldTraffic } from '../../src/entries/testing.ts';
import { dialectNames } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { someOf } from '../support/runs.ts';
import { startInspector } from './inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from './inspector-tests.ts';

let folder: string;
let page: Page;
prepareInspectorTests(860, (prepared) => {
  ({ folder, page } = prepared);
});
const { button, chosenRow, ended, entries, inspect, rows, say, search, time } = inspectorIn(() => page);

test.each(someOf(dialectNames))(
  'with an agent that speaks %s, a person answers a permission, finds the message of a tool call, goes back in time, saves the recording, and begins another session',
  async (dialect) => {
    await inspect(await startInspector(folder, dialect));
    await say('edit a note about tea');
    await button('Allow').click();
    await page.locator('article .add', { hasText: 'edit a note about tea' }).waitFor();
    await ended();

    await entries().filter({ hasText: 'Edit NOTES.md' }).first().click();
    await eventually(() => page.locator('.row.marked').count()).toBeGreaterThan(1);
    await eventually(() => chosenRow().textContent()).toContain('tool_call');
    await rows().filter({ hasText: 'agent_message_chunk' }).last().click();
    await eventually(() => entries().last().getAttribute('class')).toContain('marked');
    await eventually(() => page.locator('article.marked').count()).toBe(1);
    await rows().filter({ hasText: 'tool_call_update' }).first().click();
    await page.locator('article.marked', { hasText: 'Edit NOTES.md' }).waitFor();

    const all = await entries().count();
    const last = Number(await time().getAttribute('max'));
    await time().fill('0');
    await eventually(() => entries().count()).toBeLessThan(all);
    await time().fill(String(last));
    await eventually(() => entries().count()).toBe(all);

    const download = page.waitForEvent('download');
    await button('Save').click();
    const saved = await readFile(await (await download).path(), 'utf8');
    const { sessions } = await foldTraffic(saved);
    expect(sessions[0]?.conversation.entries).toHaveLength(all);

    await button('Sessions').click();
    await button('New session').click();
    await say('hello');
    await entries().filter({ hasText: 'You wrote: “hello”' }).waitFor();
    await search().fill('method:session/new ');
    // The list shows what the search finds.
    await page
      .getByRole('status')
      .getByText(/^4 of \d+$/)
      .waitFor();
    expect(await rows().allTextContents()).toEqual(
      ['→', '←', '→', '←'].map((arrow) => expect.stringContaining(`${arrow} session/new`)),
    );
  },
);
