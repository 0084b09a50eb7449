import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

const steps = await stepsOf('docs/getting-started.md');
let reader: Reader;

beforeAll(async () => {
  reader = await createReader();
}, 60_000);

afterAll(() => reader.remove());

test('the page has files and commands with their output', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual([
    'ask.mjs',
    'client.mjs',
    'restore.mjs',
    'ask.test.mjs',
    'trace.mjs',
  ]);
  expect(steps.filter((step) => 'printed' in step && step.printed !== '').length).toBeGreaterThan(1);
});

test.skipIf(process.platform === 'win32')(
  'the steps of the page print what it shows',
  async () => {
    await reader.follow(steps);
    const trace = await readFile(join(reader.folder, 'trace.ndjson'), 'utf8');
    expect(trace).toContain('"method":"session/prompt"');
    expect(await reader.shell('npx acp-client-sdk fold trace.ndjson')).toContain(
      'Hello, and please plan my day.',
    );
  },
  120_000,
);

test('the CommonJS build finds the demo agent', async () => {
  const program = `
    const { demoAgentCommand } = require('acp-client-sdk/node');
    console.log(require('node:fs').existsSync(demoAgentCommand().args[0]));`;
  expect(await reader.node('--eval', program)).toBe('true\n');
});
