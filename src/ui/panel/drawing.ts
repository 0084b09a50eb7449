import { backgroundTimer, frameMs } from './frame-timer.ts';

/** How long a page without frames, such as a hidden tab, waits before it is drawn all the same, in milliseconds. */
const withoutFramesMs = 1000;

/** This many times as long as a drawing took, the page pauses after it. */
const pauseFactor = 3;

/** The shortest and the longest pause after a drawing, in milliseconds. The shortest one has two frames for the input. */
const shortestPauseMs = 32;
const longestPauseMs = 1000;

/**
 * Draws a page at most once in a frame, and says when it can take more. A drawing can go on after the listeners have
 * returned: a framework draws in a microtask, and the browser lays out what it has drawn. Its time therefore ends with
 * the task after the frame. The page then pauses for three times as long, so that the user's input is handled. A drawing
 * of more text costs the browser little more, so fewer drawings cost less.
 *
 * A page that has no frames, because it is hidden, is drawn now and then. It does not say so: it needs nothing more.
 *
 * @param draw - Draws what is new, if anything is. Returns the number of the last change that is drawn then.
 * @param drawn - The page has drawn this change, and has had time for the user's input since.
 */
export function drawing(draw: () => number, drawn: (number: number) => void) {
  let isRequested = false;
  let isStopped = false;
  /** Draws if there are no frames. */
  let withoutFrames: ReturnType<typeof setTimeout> | undefined;
  /** Says that a change is drawn. */
  let afterFrame: ReturnType<typeof setTimeout> | undefined;

  const frame = () => {
    if (isStopped) return;
    isRequested = false;
    clearTimeout(withoutFrames);
    withoutFrames = undefined;
    const began = performance.now();
    const number = draw();
    clearTimeout(afterFrame);
    afterFrame = backgroundTimer(() => {
      const pauseMs = pauseFactor * (performance.now() - began);
      const within = Math.min(Math.max(pauseMs, shortestPauseMs), longestPauseMs);
      afterFrame = backgroundTimer(() => drawn(number), within);
    }, 0);
  };

  return {
    /** Draws in the next frame. */
    request(): void {
      if (isStopped) return;
      withoutFrames ??= backgroundTimer(() => {
        withoutFrames = undefined;
        draw();
      }, withoutFramesMs);
      // The frame that a hidden page has requested comes when it is visible again.
      if (isRequested) return;
      isRequested = true;
      inNextFrame(frame);
    },

    stop(): void {
      isStopped = true;
      clearTimeout(withoutFrames);
      clearTimeout(afterFrame);
    },
  };
}

/** A browser calls no frames of a hidden page. Node has none. */
function inNextFrame(task: () => void): void {
  // The library is compiled without the types of a browser.
  const { requestAnimationFrame: request } = globalThis as {
    requestAnimationFrame?: (task: () => void) => unknown;
  };
  if (request) request(task);
  else backgroundTimer(task, frameMs);
}
