import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The tests that failed once and passed alone. docs/contributing.md says what to do with an entry. */
export const flakyFile = resolve(import.meta.dirname, 'flaky.json');

export function readFlaky(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/** Adds tests to the list, each once. */
export function addFlaky(file, failures) {
  const known = readFlaky(file);
  const added = failures.filter(({ name }) => !known.some((entry) => entry.name === name));
  if (added.length === 0) return;
  const entries = [...known, ...added.map(({ name, error }) => ({ name, error }))];
  writeFileSync(file, `${JSON.stringify(entries, null, 2)}\n`);
}

/** What the end of a run says about the tests of the list. */
export function report(file) {
  const entries = readFlaky(file);
  if (entries.length === 0) return 'No test is flaky.';
  return entries
    .map(({ name, error }) => `flaky: ${name}\n  beside other tests: ${error}\n  alone: passed`)
    .join('\n');
}
