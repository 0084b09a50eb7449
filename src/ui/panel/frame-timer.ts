import { unrefTimer } from '../../core/base/wait.ts';

/** About one frame of a screen, in milliseconds. */
export const frameMs = 16;

/** Starts a timer that does not keep a Node process running. */
export function backgroundTimer(task: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(task, ms);
  unrefTimer(timer);
  return timer;
}

export type Frame = ReturnType<typeof frameFor>;

/** Runs a task once for all that happens within a frame. */
export function frameFor(task: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  /** Runs the task now, and not at the end of the frame. */
  const runNow = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!isStopped) task();
  };
  return {
    runNow,

    /** Runs the task at the end of the frame. */
    request(): void {
      if (!isStopped) timer ??= backgroundTimer(runNow, frameMs);
    },

    stop(): void {
      clearTimeout(timer);
      isStopped = true;
    },
  };
}
