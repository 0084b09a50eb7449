import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** A browser without a profile that connects to no host by itself. */
export interface Browser {
  /** Opens an empty page. What goes wrong in it is added to `problems`. */
  open(options?: { readonly problems?: string[] }): Promise<Page>;
  close(): Promise<void>;
}

export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(
      `There is no Chromium at ${executablePath}: install it, or say where it is in CHROMIUM_PATH.`,
    );
  }
  const profile = await mkdtemp(join(tmpdir(), 'acp-browser-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    async open({ problems } = {}) {
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems?.push(message.text());
      });
      page.on('pageerror', (error) => problems?.push(String(error)));
      page.on('requestfailed', (request) => problems?.push(`${request.url()} failed`));
      return page;
    },
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
