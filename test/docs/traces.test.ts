import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

// The programs that run here take a few seconds, and on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

const steps = await stepsOf('docs/traces.md');
let reader: Reader;

beforeAll(async () => {
  reader = await createReader();
}, 60_000);

afterAll(() => reader.remove());

test('the page has files to save', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual(['record.mjs', 'bug.test.mjs']);
});

test.skipIf(process.platform === 'win32')(
  'a trace is recorded, folded and played back as the page says',
  async () => {
    await reader.follow(steps);
    expect(await reader.shell('npx acp-client fold bug.ndjson')).toContain('npm test');
  },
  120_000,
);
