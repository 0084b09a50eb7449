import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { preview } from 'vite';
import { root } from '../package/entries.ts';

const run = promisify(execFile);
const example = join(root, 'docs/examples/web');

/** The web example, built. */
export interface Site {
  /** Serves it with Vite, which forwards `/acp` to the server of an agent. Resolves to its address. */
  behindVite(server: string): Promise<string>;
  /** Gives its files to a page in place of what the server of an agent would answer, but for `/acp`. */
  inPlaceOf(server: string, page: Page): Promise<void>;
  remove(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

export async function buildSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-site-'));
  const outDir = join(folder, 'site');
  // In a process of its own: NODE_ENV, which says here that this is a test, says whose build it is.
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', example, '--outDir', outDir, '--emptyOutDir'], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const closing: (() => Promise<void>)[] = [];
  return {
    async behindVite(server) {
      process.env['ACP_SERVER'] = new URL(server).origin;
      const configFile = join(example, 'vite.config.ts');
      const site = await preview({ configFile, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } });
      delete process.env['ACP_SERVER'];
      closing.push(() => site.close());
      return site.resolvedUrls?.local[0] ?? '';
    },
    async inPlaceOf(server, page) {
      const { origin } = new URL(server);
      await page.route(
        (url) => url.origin === origin && url.pathname !== '/acp',
        async (route) => {
          const { pathname } = new URL(route.request().url());
          const path = pathname === '/' ? '/index.html' : pathname;
          const body = await readFile(join(outDir, path));
          await route.fulfill({ body, contentType: types[extname(path)] ?? 'text/plain' });
        },
      );
    },
    async remove() {
      await Promise.all(closing.map((close) => close()));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
