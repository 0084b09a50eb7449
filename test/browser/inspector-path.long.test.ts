import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../package/entries.ts';
import { eventually } from '../support/eventually.ts';
import { spawn } from '../support/spawn.mjs';
import { launchBrowser } from './browser.ts';

const run = promisify(execFile);

/** Where each step leaves a picture. Default: nowhere. */
const pictures = process.env['INSPECTOR_PICTURES'];

/** A project that has installed the packed package, and vitest. */
async function consumer(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-inspector-path-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: root });
  const home = join(folder, 'node_modules/acp-client-sdk');
  await mkdir(home, { recursive: true });
  await run('tar', [
    '-xzf',
    join(folder, JSON.parse(stdout)[0].filename),
    '-C',
    home,
    '--strip-components=1',
  ]);
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), 'vitest']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Runs the command in a project, and resolves to the address that it prints. */
async function inspect(folder: string): Promise<string> {
  const program = join(folder, 'node_modules/acp-client-sdk/dist/cli.js');
  const child = spawn(process.execPath, [program, 'inspect', '--web'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return line;
}

test('a person answers a permission, finds the message of a tool call, goes back in time, and runs the saved test', async () => {
  const folder = await consumer();
  const url = await inspect(folder);
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const problems: string[] = [];
  const page = await browser.open({ problems });
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(url);
  await page.getByRole('status').getByText('open', { exact: true }).waitFor();
  await picture(page, '1-opened');

  await page.getByRole('textbox', { name: 'Prompt' }).fill('edit a note about tea');
  await page.keyboard.press('Enter');
  const question = page.getByRole('group', { name: 'The agent asks for a permission' });
  await question.waitFor();
  await picture(page, '2-permission');
  await question.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.locator('article .add', { hasText: 'edit a note about tea' }).waitFor();
  await page.getByText(/^idle · end_turn/).waitFor();
  await picture(page, '3-answered');

  const entries = page.locator('article');
  const edit = entries.filter({ hasText: 'Edit NOTES.md' }).first();
  const marked = page.locator('.row.marked');
  await edit.click();
  await eventually(() => marked.count()).toBeGreaterThan(1);
  await eventually(() => page.locator('.row[aria-selected=true]').textContent()).toContain('tool_call');
  await picture(page, '4-messages-of-the-entry');
  const answer = entries.filter({ hasText: 'You wrote' }).or(entries.last()).last();
  const messages = page.getByRole('listbox', { name: 'Messages' }).getByRole('option');
  await messages.filter({ hasText: 'agent_message_chunk' }).last().click();
  await eventually(() => answer.getAttribute('class')).toContain('marked');
  await eventually(() => page.locator('article.marked').count()).toBe(1);
  await messages.filter({ hasText: 'tool_call_update' }).first().click();
  await page.locator('article.marked', { hasText: 'Edit NOTES.md' }).waitFor();
  await picture(page, '5-entry-of-the-message');

  const all = await entries.count();
  const time = page.getByRole('slider', { name: 'Time' });
  const last = Number(await time.getAttribute('max'));
  await time.fill('0');
  await eventually(() => entries.count()).toBeLessThan(all);
  await picture(page, '6-back-in-time');
  await time.fill(String(last));
  await eventually(() => entries.count()).toBe(all);
  await picture(page, '7-forward-again');

  await page.getByRole('button', { name: 'Save' }).click();
  await picture(page, '8-save');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /^Test/ }).click();
  const saved = await download;
  await saved.saveAs(join(folder, saved.suggestedFilename()));
  const program = join(folder, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await run(process.execPath, [program, 'run'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  });
  expect(stdout).toContain(saved.suggestedFilename());
  expect(stdout).toContain('1 passed');
  expect(await readFile(join(folder, saved.suggestedFilename()), 'utf8')).toContain('playback(recording)');
  await page.close();
  expect(problems).toEqual([]);
});

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  // The last change is drawn with the next frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.screenshot({ path: join(pictures, `path-${name}.png`) });
}
