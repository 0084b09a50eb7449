import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { spawnAgent } from '../../src/entries/node.ts';
import { startLiveAgent } from '../../src/programs/inspector/live.ts';
import { serveInspector } from '../../src/programs/inspector/server/serve.ts';
import type { TimelineFile } from '../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../src/programs/inspector/timeline/read.ts';

const root = resolve(import.meta.dirname, '../..');
export const recordings = join(root, 'test/fixtures/traffic');
const marker = 'id="timelines">';

/** A recording as a timeline. */
export async function timelineOf(name: string, text: string): Promise<TimelineFile> {
  return { format: 1, title: name, items: await readTimeline(text) };
}

/** Writes the page with timelines in it. Resolves to its address. */
export async function writePage(folder: string, timelines: readonly TimelineFile[]): Promise<string> {
  const page = await readFile(join(root, 'dist/inspector.html'), 'utf8');
  const json = JSON.stringify(timelines).replaceAll('<', '\\u003c');
  const path = join(folder, `${timelines[0]?.title ?? 'page'}.html`);
  await writeFile(
    path,
    page.replace(marker, () => marker + json),
  );
  return pathToFileURL(path).href;
}

/** What axe-core finds in a page. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  // The browser's debugger runs it: the policy of the page allows no other script.
  await page.evaluate(`if (!('axe' in globalThis)) { ${axe.source} }`);
  const found = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: unknown }[];
    }[];
  };
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${String(target)}`));
}

/** The inspector with a demo agent whose sessions are its own. */
export interface LiveInspector {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startInspector(folder: string, dialect: string): Promise<LiveInspector> {
  const cwd = await mkdtemp(join(folder, 'workspace-'));
  const command = process.execPath;
  const args = [join(root, 'dist/demo-agent.js'), '--state', join(cwd, '.sessions'), '--dialect', dialect];
  const { timeline, panel } = startLiveAgent({
    title: 'demo agent',
    agent: { command, args, cwd },
    open: async (onStderr) => spawnAgent({ command, args, cwd, onStderr }),
    connect: { clientInfo: { name: 'inspector', version: '1.0.0' } },
    workspace: { cwd },
  });
  const page = await readFile(join(root, 'dist/inspector.html'), 'utf8');
  const inspector = await serveInspector({ page, timelines: [timeline], hands: { panel, folders: [cwd] } });
  return {
    url: inspector.url,
    async stop() {
      await inspector.close();
      await panel.close();
    },
  };
}

/** Runs a test that the inspector saved, with this package. Resolves to what vitest prints. */
export async function runSavedTest(text: string): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules/.cache/saved-'));
  try {
    await mkdir(join(folder, 'node_modules'));
    await symlink(root, join(folder, 'node_modules/acp-client-sdk'));
    await writeFile(join(folder, 'session.test.mjs'), text);
    await writeFile(join(folder, 'vitest.config.mjs'), 'export default {};');
    const program = join(root, 'node_modules/vitest/vitest.mjs');
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [program, 'run', '--root', folder], {
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    return stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
