import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

/** The button can be scrolled into view, and nothing lies over it or cuts it. */
export async function expectReached(button: Locator): Promise<void> {
  const label = await button.getAttribute('aria-label').then((name) => name ?? button.innerText());
  const isReached = await button.evaluate((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isAt = (x: number, y: number) => element.contains(element.getRootNode().elementFromPoint(x, y));
    return isAt(left + 2, top + 2) && isAt(right - 3, bottom - 3);
  });
  expect(isReached, label).toBe(true);
}
