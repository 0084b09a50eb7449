const { setTimeout: setReal, clearTimeout: clearReal } = globalThis;

/** Notes the timers that the sources set, and gives what of them is still set. */
export function watchTimers(): { live(): readonly string[]; stop(): void } {
  const live = new Map<unknown, Error>();
  const set = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = setReal(() => {
      live.delete(timer);
      callback(...args);
    }, ms);
    // Its stack is computed only when it is read.
    live.set(timer, new Error());
    return timer;
  };
  const clear = (timer?: NodeJS.Timeout | string | number) => {
    live.delete(timer);
    clearReal(timer);
  };
  // util.promisify and the types want more of the real ones than anybody here uses.
  globalThis.setTimeout = Object.assign(set, setReal) as unknown as typeof setTimeout;
  globalThis.clearTimeout = clear;
  return {
    live: () =>
      [...live.values()].flatMap(({ stack }) => {
        const by = stack?.split('\n').find((line) => line.includes('/src/'));
        return by ? [by.trim()] : [];
      }),
    stop() {
      globalThis.setTimeout = setReal;
      globalThis.clearTimeout = clearReal;
    },
  };
}
