import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './pages.ts';
import { terminalPicture } from './picture.ts';
import { createReader, type Reader, stepsOf } from './walkthrough.ts';

let reader: Reader;
beforeAll(async () => {
  reader = await createReader();
});
afterAll(() => reader.remove());

test.skipIf(process.platform === 'win32')('the first steps print what the page shows', async () => {
  // The commands for a clone need its sources.
  const steps = (await stepsOf('README.md')).filter(
    (step) => 'file' in step || !step.commands.some((command) => command.includes('npm ci')),
  );
  expect(steps.map((step) => ('file' in step ? step.file : step.commands))).toEqual([
    ['npm install acp-client-sdk'],
    'first.mjs',
    ['node first.mjs'],
    expect.arrayContaining(['npx acp-client-sdk chat']),
  ]);
  await reader.follow(steps.slice(0, 2));
  // The number of tokens depends on the length of the path of the folder.
  const withoutUsage = (text: string) => text.replace(/[\d,]+ of 200,000 tokens · [\d.]+ USD/, 'usage');
  const shown = steps.flatMap((step) => ('printed' in step && step.printed !== '' ? [step.printed] : []));
  expect(shown.map(withoutUsage)).toEqual([withoutUsage(await reader.shell('node first.mjs'))]);
});

test.skipIf(process.platform === 'win32')('the picture shows what the command prints', async () => {
  const printed = await reader.shell('FORCE_COLOR=1 npx acp-client-sdk transcript example-leap-day');
  const end = printed.indexOf('Before coffee.');
  const start = printed.lastIndexOf('Agent', printed.indexOf('Found it.'));
  const lastLine = printed.lastIndexOf('User', printed.lastIndexOf('User', end) - 1);
  expect(start).toBeGreaterThan(0);
  const picture = terminalPicture(
    printed.slice(printed.lastIndexOf('\n', start) + 1, printed.lastIndexOf('\n', lastLine)),
  );
  const path = join(root, 'docs/transcript.svg');
  if (process.env['UPDATE_DOCS']) writeFileSync(path, picture);
  else expect(readFileSync(path, 'utf8')).toBe(picture);
});
