import assert from 'node:assert/strict';

/**
 * Asserts that each button of a part of the panel can be clicked: it is inside of the page, and nothing lies above it,
 * after the parts around it were scrolled. A part that must be scrolled for it has a bar.
 */
export async function assertReachable(part, what) {
  const buttons = part.getByRole('button');
  const count = await buttons.count();
  assert.ok(count > 0, `${what} has buttons`);
  const faults = [];
  for (let index = 0; index < count; index++) {
    const button = buttons.nth(index);
    await button.scrollIntoViewIfNeeded();
    const fault = await button.evaluate(faultOf);
    if (fault) faults.push(fault);
  }
  assert.deepEqual(faults, [], what);
}

/** Runs in the page: why a button that was scrolled into view cannot be used, or null. */
function faultOf(button) {
  const name = button.getAttribute('aria-label') ?? button.textContent.trim();
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const place = `${name}: ${[left, top, right, bottom].map(Math.round).join(' ')} in ${innerWidth} × ${innerHeight}`;
  if (left < 0 || right > innerWidth + 0.5) return `${place}: it is cut at the side`;
  if (top < 0 || bottom > innerHeight + 0.5) return `${place}: it is below or above the page`;
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  if (!button.contains(hit)) return `${place}: ${hit?.className || hit?.tagName} lies above it`;
  for (let around = button.parentElement; around; around = around.parentElement) {
    const { overflowY, borderLeftWidth, borderRightWidth } = getComputedStyle(around);
    const scrolls = /auto|scroll/.test(overflowY) && around.scrollHeight > around.clientHeight + 1;
    const bar =
      around.offsetWidth -
      around.clientWidth -
      Number.parseFloat(borderLeftWidth) -
      Number.parseFloat(borderRightWidth);
    if (scrolls && around !== document.documentElement && bar < 1) {
      return `${place}: ${around.className || around.tagName} scrolls without a bar`;
    }
  }
  return null;
}
