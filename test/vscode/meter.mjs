/**
 * Runs in a page, and measures there: the time that a driver needs is in no figure. Sets `meter` on the global object.
 *
 * A key press and a click are measured from the time that the browser gave the event until the frame that shows it is
 * painted. So the time is in it that the event waited for a task.
 */
export function installMeter() {
  if (globalThis.meter) return;
  const lookMs = 50;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  /** After a frame has begun, its painting. */
  const afterPainting = async () => {
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
    port1.close();
  };
  const painted = () => frame().then(afterPainting);
  /** What was measured since `start`, in milliseconds. */
  let measured;
  const observe = (entries) => {
    for (const { startTime, duration } of entries) {
      if (measured && startTime >= measured.since) measured.longTasks.push(duration);
    }
  };
  const observer = new PerformanceObserver((list) => observe(list.getEntries()));
  observer.observe({ type: 'longtask' });

  addEventListener(
    'keydown',
    async (event) => {
      const { timeStamp, key } = event;
      if (!measured || key.length !== 1) return;
      // In the element.
      const [target] = event.composedPath();
      const keys = measured.keys;
      const before = target.value;
      do await frame();
      while (target.isConnected && target.value === before);
      await afterPainting();
      const end = performance.now();
      performance.measure('key press', { start: timeStamp, end });
      keys.push(end - timeStamp);
    },
    { capture: true },
  );
  addEventListener(
    'click',
    async ({ timeStamp }) => {
      const clicks = measured?.clicks;
      await painted();
      clicks?.push(performance.now() - timeStamp);
    },
    { capture: true },
  );

  /** The last words of the transcript, and where the last word `Finished…` is. Reads as little as it can. */
  const page = () => document.querySelector('acp-panel').shadowRoot;
  const findEnd = () => {
    const log = page().querySelector('[role=log]');
    if (!log) return;
    const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
    for (let text = walker.lastChild(), left = 60; text && left > 0; text = walker.previousNode(), left--) {
      const found = /Finished(\d{13})/.exec(text.data.slice(-400));
      if (found) return { text, sentAt: Number(found[1]) };
    }
  };
  const isInView = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, bottom, width } = [...range.getClientRects()].at(-1) ?? {};
    if (!width) return false;
    // Something can lie above it, or cut it off.
    const top = page().elementFromPoint(left + 1, bottom - 2);
    return top !== null && (top.contains(node) || node.parentElement.contains(top));
  };

  globalThis.meter = {
    start() {
      measured = { since: performance.now(), longTasks: [], keys: [], clicks: [] };
    },
    stop() {
      observe(observer.takeRecords());
      const { longTasks, keys, clicks } = measured;
      measured = undefined;
      return { longTasks, keys, clicks };
    },
    /**
     * Waits until the last word of an answer that was sent after `since` is in view. Resolves to the milliseconds since the
     * agent sent it, or to null if it takes longer than `limitMs`.
     */
    async end({ since, limitMs }) {
      const until = performance.now() + limitMs;
      while (performance.now() < until) {
        // To look in each frame would make frames that the panel does not make.
        await new Promise((resolve) => setTimeout(resolve, lookMs));
        const found = findEnd();
        if (!found || found.sentAt < since || !isInView(found.text)) continue;
        await painted();
        return performance.timeOrigin + performance.now() - found.sentAt;
      }
      return null;
    },
  };
}
