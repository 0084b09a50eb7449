import { mkdtemp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { spawnAgent } from '../../src/entries/node.ts';
import { type LiveOptions, startLiveAgent } from '../../src/programs/inspector/live.ts';
import { serveInspector } from '../../src/programs/inspector/server/serve.ts';
import { GrowingTimeline } from '../../src/programs/inspector/timeline/growing.ts';
import type { TimelineLine } from '../../src/programs/inspector/timeline/items.ts';

const root = resolve(import.meta.dirname, '../..');
export const recordings = join(root, 'test/fixtures/traffic');

const readPage = () => readFile(join(root, 'dist/inspector.html'), 'utf8');

/** The inspector of recordings, by their titles. Resolves to its address. */
export async function serveRecordings(shown: Readonly<Record<string, readonly TimelineLine[]>>) {
  const timelines = Object.entries(shown).map(
    ([title, lines]) => new GrowingTimeline(title, lines, 'complete'),
  );
  const inspector = await serveInspector({ page: await readPage(), timelines });
  onTestFinished(() => inspector.close());
  return inspector.url;
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

/** The inspector of an agent. Stop it after its page: the page would notice the end of its server. */
export interface LiveInspector {
  readonly url: string;
  stop(): Promise<void>;
}

/** The inspector of an agent that `open` starts. */
export async function inspectAgent(
  cwd: string,
  options: Pick<LiveOptions, 'title' | 'agent' | 'open'>,
): Promise<LiveInspector> {
  const { timeline, panel } = startLiveAgent({
    ...options,
    connect: { clientInfo: { name: 'inspector', version: '1.0.0' } },
    workspace: { cwd },
  });
  const page = await readPage();
  const inspector = await serveInspector({ page, timelines: [timeline], hands: { panel, folders: [cwd] } });
  return {
    url: inspector.url,
    async stop() {
      await inspector.close();
      await panel.close();
    },
  };
}

/** The inspector with a demo agent whose sessions are its own. */
export async function startInspector(folder: string, dialect: string): Promise<LiveInspector> {
  const cwd = await mkdtemp(join(folder, 'workspace-'));
  const command = process.execPath;
  const args = [join(root, 'dist/demo-agent.js'), '--state', join(cwd, '.sessions'), '--dialect', dialect];
  return inspectAgent(cwd, {
    title: 'demo agent',
    agent: { command, args, cwd },
    open: async (onStderr) => spawnAgent({ command, args, cwd, onStderr }),
  });
}
