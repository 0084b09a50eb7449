import assert from 'node:assert/strict';

const entries = 5000;

/** The user opens a session with a long history, scrolls through it, and goes on. */
export const longSession = {
  name: 'reopened session with 5,000 entries',
  async play(stage) {
    await stage.agent('long-session.mjs', String(entries));
    const { panel, ...workbench } = await stage.open();
    await workbench.openPanel();
    await panel.listsSession('A long session');
    const page = await panel.content();
    const session = await panel.findSession('A long session');
    const opened = page.evaluate(msUntilLast, { event: 'click', text: `Answer ${entries - 1}: done` });
    await session.click();
    stage.note(`${entries} entries after ${((await opened) / 1000).toFixed(1)} s`);
    await panel.canOpenSessions();
    await stage.shootOnly('long session');

    const { frames, longestMs, elapsedMs } = await page.evaluate(scrollUp);
    stage.note(
      `scrolling: ${((frames * 1000) / elapsedMs).toFixed(0)} frames a second, longest ${longestMs.toFixed(0)} ms`,
    );
    assert.ok(frames > 10, 'the page was drawn while it scrolled');
    await panel.prompt.fill('Are you there?');
    const answered = page.evaluate(msUntilLast, { event: 'click', text: 'I am still here.' });
    await panel.send.click();
    stage.note(`a turn after ${((await answered) / 1000).toFixed(1)} s`);
    await panel.idle();
  },
};

/**
 * Runs in the page: waits until the last entry contains a text, and resolves to the milliseconds from an event of the
 * user until then. A locator searches all entries for a long time, before the event and after it.
 */
async function msUntilLast({ event, text }) {
  const start = await new Promise((resolve) =>
    addEventListener(event, () => resolve(performance.now()), { capture: true, once: true }),
  );
  const page = document.querySelector('acp-panel').shadowRoot;
  while (!page.querySelector('[role=log]')?.lastElementChild?.textContent.includes(text)) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return performance.now() - start;
}

/** Runs in the page: scrolls from the end to the beginning in three seconds, and counts the frames. */
async function scrollUp() {
  const log = document.querySelector('acp-panel').shadowRoot.querySelector('[role=log]');
  let scroller = log;
  while (scroller && scroller.scrollHeight <= scroller.clientHeight) scroller = scroller.parentElement;
  const top = scroller.scrollTop;
  const durationMs = 3000;
  const start = performance.now();
  let last = start;
  let frames = 0;
  let longestMs = 0;
  while (last - start < durationMs) {
    const now = await new Promise((resolve) => requestAnimationFrame(resolve));
    frames++;
    longestMs = Math.max(longestMs, now - last);
    last = Math.max(now, last);
    scroller.scrollTop = top * (1 - (last - start) / durationMs);
  }
  return { frames, longestMs, elapsedMs: last - start };
}
