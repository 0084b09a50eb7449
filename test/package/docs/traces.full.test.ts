import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

const steps = await stepsOf('docs/traces.md');
let reader: Reader;

beforeAll(async () => {
  reader = await createReader();
}, 60_000);

afterAll(() => reader.remove());

test('the page has files', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual(['record.mjs', 'bug.test.mjs']);
});

test.skipIf(process.platform === 'win32')(
  'the steps of the page print what it shows, for traces',
  async () => {
    await reader.follow(steps);
    expect(await reader.shell('npx acp-client-sdk fold bug.ndjson')).toContain('npm test');
  },
  120_000,
);
