import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readTimeline } from '../../../src/programs/inspector/timeline/read.ts';
import { accessibilityFaults, recordings, serveRecordings, startInspector } from '../inspector-page.ts';
import { inspectorIn, prepareInspectorTests } from '../inspector-tests.ts';

let folder: string;
let page: Page;
prepareInspectorTests(900, (prepared) => {
  ({ folder, page } = prepared);
});
const { button, chosenRow, ended, entries, inspect, rows, say, search, tab } = inspectorIn(() => page);

/** What a person sees of a live agent, one after the other: the name, and what leads there. */
const live: readonly (readonly [state: string, reach: () => Promise<unknown>])[] = [
  ['first screen', () => button('Please edit my notes.').waitFor()],
  ['question', () => say('edit a note about tea').then(() => button('Allow').waitFor())],
  ['transcript', () => button('Allow').click().then(ended)],
  ['message', () => entries().filter({ hasText: 'Edit NOTES.md' }).first().click()],
  ['search', () => search().fill('from:agent note')],
  ['turns', () => tab('Turns').click()],
  ['capabilities', () => tab('Capabilities').click()],
  ['send form', () => tab('Agent').click()],
  ['sessions', () => button('Sessions').click()],
  [
    'crash',
    async () => {
      await button('Transcript').click();
      await tab('Wire').click();
      await say('please crash');
      await page.getByText('An agent can lose its sessions when it ends.').waitFor();
    },
  ],
  ['keys', () => button('Keys').click()],
];

/** The same of recordings. */
const recorded: typeof live = [
  ['compare', () => page.getByText(/\d+ equal, [1-9]\d* changed/).waitFor()],
  [
    'recording',
    async () => {
      await tab('Wire').click();
      await rows().nth(5).click();
      await chosenRow().waitFor();
    },
  ],
];

const openRecordings = async () => {
  const names = ['codex-2.6.0.ndjson', 'codex-2.6.0.v2.ndjson'];
  const read = async (name: string) =>
    [name, await readTimeline(await readFile(join(recordings, name), 'utf8'))] as const;
  await page.goto(await serveRecordings(Object.fromEntries(await Promise.all(names.map(read)))));
};

test.each(['light', 'dark'] as const)('no state has an accessibility fault, %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme });
  const check = async (states: typeof live) => {
    for (const [state, reach] of states) {
      await reach();
      expect(await accessibilityFaults(page), state).toEqual([]);
    }
  };
  await openRecordings();
  await check(recorded);
  await inspect(await startInspector(folder, 'v2-markers'));
  await check(live);
});
