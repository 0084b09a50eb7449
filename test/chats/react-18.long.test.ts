import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../browser/browser.ts';
import { root } from '../package/entries.ts';
import { eventually } from '../support/eventually.ts';
import { startHost } from '../support/example-host.ts';

const programs = join(import.meta.dirname, 'programs');

/** The host of the example, with a page of React 18. React 19 itself refuses addresses that run script. */
async function servePage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-chats-'));
  await cp(join(root, 'docs/examples/bridges'), folder, { recursive: true });
  await cp(join(programs, 'react-18.jsx'), join(folder, 'react-18.jsx'));
  await symlink(join(inject('react18Packages'), 'node_modules'), join(folder, 'node_modules'));
  const agent = [process.execPath, join(programs, 'scene-agent.mjs')];
  const { url, stop } = await startHost(join(folder, 'host.mjs'), agent, { PAGES: 'react-18' });
  onTestFinished(stop);
  return url;
}

test('a chat of React 18 gets no address of the agent that runs script', async () => {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const problems: string[] = [];
  const page = await browser.open({ problems });
  await page.goto(await servePage());
  await page.getByText('New session').click();
  await page.getByText('Send').click();
  const shown = page.locator('output');
  await eventually(() => shown.textContent()).toMatch(/^React 18\..* is ready: text,(data-\w+,)*source-url/);
  expect(await page.locator('a[href]').evaluateAll((links) => links.map((link) => link.textContent))).toEqual(
    ['control', 'https://example.com/'],
  );
  for (const text of await page.locator('a:not([href])').allTextContents()) expect(text).toBe('');
  expect(await page.title()).not.toBe('It ran.');
  // React 18 has not kept it from running.
  await page.getByText('control').click();
  await eventually(() => page.title()).toBe('It ran.');
  expect(problems).toEqual([]);
});
