import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createReader, javaScriptSteps, type Reader, stepsOf } from './walkthrough.ts';

const steps = await stepsOf('docs/getting-started.md');

let reader: Reader;

beforeEach(async () => {
  reader = await createReader();
}, 60_000);

afterEach(() => reader.remove());

test('the page has files and commands with their output', () => {
  expect(steps.flatMap((step) => ('file' in step ? step.file : []))).toEqual([
    'tsconfig.json',
    ...['ask', 'client', 'restore', 'ask.test', 'trace'].flatMap((name) => [`${name}.mts`, `${name}.mjs`]),
    'client.cjs',
  ]);
  const config = steps.find((step) => 'file' in step && step.file === 'tsconfig.json');
  for (const option of ['strict', 'exactOptionalPropertyTypes', 'noUncheckedIndexedAccess']) {
    expect(config).toMatchObject({ content: expect.stringContaining(`"${option}": true`) });
  }
  expect(config).toMatchObject({ content: expect.stringContaining('"verbatimModuleSyntax": true') });
  expect(steps.filter((step) => 'printed' in step && step.printed !== '').length).toBeGreaterThan(1);
});

// test/package/first-hour.full.test.ts follows the steps in TypeScript.
test.skipIf(process.platform === 'win32')(
  'the steps of the page print what it shows, in JavaScript',
  async () => {
    await reader.follow(javaScriptSteps(steps));
    const trace = await readFile(join(reader.folder, 'trace.ndjson'), 'utf8');
    expect(trace).toContain('"method":"session/prompt"');
    expect(await reader.shell('npx acp-client-sdk fold trace.ndjson')).toContain(
      'Hello, and please plan my day.',
    );
  },
  900_000,
);

test('the CommonJS build finds the demo agent', async () => {
  const program = `
    const { demoAgentCommand } = require('acp-client-sdk/node');
    console.log(require('node:fs').existsSync(demoAgentCommand().args[0]));`;
  expect(await reader.node('--eval', program)).toBe('true\n');
});
