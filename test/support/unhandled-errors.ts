import { onTestFinished } from 'vitest';

/** Collects the errors and the rejections that nothing handles, until the test is over. */
export function unhandledErrors(): readonly unknown[] {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  onTestFinished(() => {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
  });
  return unhandled;
}
