import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

// The programs that run here take a few seconds, and on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

const steps = await stepsOf('docs/getting-started.md');
let reader: Reader;

beforeAll(async () => {
  reader = await createReader();
}, 60_000);

afterAll(() => reader.remove());

test('the page has files to save, and says what a command prints', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual([
    'ask.mjs',
    'client.mjs',
    'ask.test.mjs',
    'trace.mjs',
  ]);
  expect(steps.filter((step) => 'printed' in step && step.printed !== '').length).toBeGreaterThan(1);
});

test.skipIf(process.platform === 'win32')(
  'whoever does what the page says sees what it shows',
  async () => {
    await reader.follow(steps);
    const trace = await readFile(join(reader.folder, 'trace.ndjson'), 'utf8');
    expect(trace).toContain('"method":"session/prompt"');
    expect(await reader.shell('npx acp-client fold trace.ndjson')).toContain(
      'Hello, and please plan my day.',
    );
  },
  120_000,
);

test('the demo agent is found from the CommonJS copy of the package too', async () => {
  const program = `
    const { demoAgentCommand } = require('acp-client-sdk/node');
    console.log(require('node:fs').existsSync(demoAgentCommand().args[0]));`;
  expect(await reader.node('--eval', program)).toBe('true\n');
});
