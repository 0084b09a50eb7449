import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Whether the file of the test has started a program before the end of the test. */
    startsPrograms?: boolean;
  }
}

/**
 * Marks the tests that depend on other programs, and so on the load of the machine: only they may run a second time.
 * Node publishes each program that is started. One in a pseudo-terminal is published by `startInTerminal`.
 */
let hasStarted = false;
const note = () => {
  hasStarted = true;
};
subscribe('child_process', note);
afterEach(({ task }) => {
  if (hasStarted) task.meta.startsPrograms = true;
});
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern of the first parameter.
afterAll(({}, suite) => {
  unsubscribe('child_process', note);
  if (hasStarted) suite.meta.startsPrograms = true;
});
