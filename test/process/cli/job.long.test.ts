import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, runHere } from './command-line.ts';

beforeAll(buildPackage);

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe.each(['v1', 'v2-baseline'])('a job with an agent of %s', (dialect) => {
  test('allows edits below a directory, and succeeds', async () => {
    const folder = temporaryFolder();
    const [trace, summary] = ['agent.ndjson', 'agent.json'].map((name) => join(folder, name));
    const agent = await demoAgent(dialect, temporaryFolder());
    const job = ['prompt', 'Please edit my notes.', '--cwd', folder, '--permit', 'reject'];
    const files = ['--trace', `${trace}`, '--summary', `${summary}`];
    const { code, stdout, stderr } = await runHere([...job, '--allow-edits', folder, ...files, ...agent]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('✓ Edit NOTES.md');
    const edit = { title: 'Edit NOTES.md', kind: 'edit', paths: [join(folder, 'NOTES.md')] };
    expect(json(`${summary}`)).toMatchObject({
      agent: { name: 'acp-demo-agent' },
      sessionId: expect.any(String),
      stopReason: 'end_turn',
      error: null,
      answer: expect.stringContaining('Thank you.'),
      toolCalls: [{ ...edit, status: 'completed' }],
      permissions: [{ ...edit, title: expect.any(String), answer: 'allowed', by: 'option' }],
      usage: expect.anything(),
    });
    const { sessions } = await foldTraffic(readFileSync(`${trace}`, 'utf8'));
    expect(sessions).toHaveLength(1);
  });

  test('refuses other edits, prints the turn, and exits with 6', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    const summary = join(folder, 'agent.json');
    const agent = await demoAgent(dialect, temporaryFolder());
    const job = ['prompt', 'Please edit my notes.', '--cwd', folder, '--permit', 'reject'];
    const rules = ['--allow-edits', join(folder, 'src'), '--summary', summary];
    const { code, stdout, stderr } = await runHere([...job, ...rules, ...agent]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^acp-client-sdk: A permission was refused: "[^"]*NOTES\.md\??"\.\n$/);
    expect(stdout).toContain('Edit NOTES.md');
    expect(json(summary)).toMatchObject({
      stopReason: 'end_turn',
      error: expect.stringMatching(/^A permission was refused: /),
      permissions: [{ paths: [join(folder, 'NOTES.md')], answer: 'refused', by: 'option' }],
    });
  });
});

test('the summary of a turn that failed says why', async () => {
  const summary = join(temporaryFolder(), 'agent.json');
  const agent = await demoAgent('v1', temporaryFolder());
  const { code, stderr } = await runHere(['prompt', 'Please fail.', '--summary', summary, ...agent]);
  expect(code).toBe(4);
  expect(json(summary)).toMatchObject({ permissions: [], toolCalls: [] });
  expect(stderr).toContain(json(summary).error);
});

test.each([
  ['--allow-edits', /--allow-edits: .*none is not a directory\./],
  ['--summary', /--summary: .*none.*agent.json cannot be written: ENOENT/],
])('%s with a wrong path is refused before the agent starts', async (option, message) => {
  const none = join(temporaryFolder(), 'none');
  const path = option === '--summary' ? join(none, 'agent.json') : none;
  const { code, stderr } = await runHere(['prompt', 'edit', option, path]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
