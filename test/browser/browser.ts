import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumOptions } from '../support/chromium.mjs';

/** A browser without a profile that connects to no host by itself. */
export interface Browser {
  /** Opens an empty page. What goes wrong in it is added to `problems`. */
  open(options?: { readonly problems?: string[] }): Promise<Page>;
  close(): Promise<void>;
}

/** @param options.hasScrollBars - Whether bars are drawn, as on a screen. A browser without a window draws none. */
export async function launchBrowser({ hasScrollBars = false } = {}): Promise<Browser> {
  const options = {
    ...chromiumOptions(),
    ignoreDefaultArgs: hasScrollBars ? ['--hide-scrollbars'] : [],
  };
  const profile = await mkdtemp(join(tmpdir(), 'acp-browser-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, options);
  return {
    async open({ problems } = {}) {
      const page = await context.newPage();
      // Only for a wait that hangs: the machine can be busy.
      page.setDefaultTimeout(100_000);
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

/** The browser of all tests of a file, or of a group of them: call it beside them. */
export function sharedBrowser(settings?: Parameters<typeof launchBrowser>[0]): Pick<Browser, 'open'> {
  let launched: Browser;
  beforeAll(async () => {
    launched = await launchBrowser(settings);
  });
  afterAll(() => launched?.close());
  return { open: (options) => launched.open(options) };
}

/** Takes a picture to look at, if the variable `PICTURES` names a directory for it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const directory = process.env['PICTURES'];
  if (directory) await page.screenshot({ path: join(directory, `${name}.png`) });
}

/** A property of the computed style of an element. */
export function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate((e, name) => e.ownerDocument.defaultView.getComputedStyle(e)[name], property);
}
