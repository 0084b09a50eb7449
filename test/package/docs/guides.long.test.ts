import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});
afterAll(() => reader.remove());

// Each program is saved and run in a folder that has only the installed package.
test.skipIf(process.platform === 'win32').each([
  ['docs/permissions.md', 'rules.mjs'],
  ['docs/mcp-servers.md', 'servers.mjs'],
])('the program of %s prints what the page shows', async (page, program) => {
  const steps = await stepsOf(page);
  expect(steps.map((step) => ('file' in step ? step.file : step.commands))).toEqual([
    program,
    [`node ${program}`],
  ]);
  await reader.follow(steps);
});
