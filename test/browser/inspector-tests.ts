import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.ts';
import type { LiveInspector } from './inspector-page.ts';

/** What a test of the inspector has. */
export interface InspectorTest {
  /** The folder of all tests of the file. */
  readonly folder: string;
  readonly page: Page;
  /** What went wrong in the page. The test fails if it is not empty at the end. */
  readonly problems: string[];
}

/** The parts of the inspector, and what a person does in it. */
export const inspectorIn = (page: () => Page) => ({
  /** The entries of the transcript. */
  entries: () => page().locator('article'),
  /** The messages. */
  rows: () => page().getByRole('listbox', { name: 'Messages' }).getByRole('option'),
  chosenRow: () => page().locator('.row[aria-selected=true]'),
  time: () => page().getByRole('slider', { name: 'Time' }),
  search: () => page().getByRole('textbox', { name: 'Search in the messages' }),
  tab: (name: string) => page().getByRole('tab', { name }),
  button: (name: string | RegExp) => page().getByRole('button', { name, exact: true }),
  /** Opens the page of a live inspector, and waits until the agent is connected. */
  async inspect(live: LiveInspector): Promise<void> {
    onTestFinished(async () => {
      // The page goes first: it would notice the end of its server.
      await page().close();
      await live.stop();
    });
    await page().goto(live.url);
    await page().getByRole('status').getByText('open', { exact: true }).waitFor();
  },
  /** Waits until the turn has ended. */
  ended: () =>
    page()
      .getByText(/^idle · end_turn/)
      .waitFor(),
  async say(text: string): Promise<void> {
    await page().getByRole('textbox', { name: 'Prompt' }).fill(text);
    await page().keyboard.press('Enter');
  },
});

/** Gives each test of a file an empty page, in one browser. `take` is called before each test. */
export function prepareInspectorTests(height: number, take: (prepared: InspectorTest) => void): void {
  const browser = sharedBrowser();
  let folder: string;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acp-inspector-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    problems = [];
    page = await browser.open({ problems });
    await page.setViewportSize({ width: 1280, height });
    take({ folder, page, problems });
  });
  afterEach(async () => {
    await page.close();
    // A browser can count a stream that the page has read to its end as one that failed.
    expect(problems.filter((problem) => !/\/items\?\S+ failed$/.test(problem))).toEqual([]);
  });
}
