import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** A prompt that the demo agent repeats: Markdown with HTML, a script and a picture. */
export const hostileMarkdown =
  '**bold** <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](https://example.com/y.png)';

/** Waits until a transcript shows it, and checks that only its Markdown is drawn. */
export async function expectInert(transcript: Locator): Promise<void> {
  const drawn = transcript.locator('.markdown', { hasText: '<img src=x' });
  await drawn.locator('strong', { hasText: 'bold' }).first().waitFor();
  await drawn.getByText('[x](javascript:alert(1))').first().waitFor();
  expect(await drawn.locator('img').count()).toBe(0);
  expect(await drawn.locator('a[href^=javascript]').count()).toBe(0);
  // What the user writes stays as it is.
  await transcript.locator('.user .text', { hasText: '**bold**' }).waitFor();
}
