import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, printedConversation, runHere } from './command-line.ts';

beforeAll(buildPackage);

describe.each(['v1', 'v2-baseline'])('a job with an agent of %s', (dialect) => {
  test('allows edits below a directory, and succeeds', async () => {
    const folder = temporaryFolder();
    const trace = join(folder, 'agent.ndjson');
    const agent = await demoAgent(dialect, temporaryFolder());
    const job = ['prompt', 'Please edit my notes.', '--cwd', folder, '--permit', 'reject'];
    const { code, stdout, stderr } = await runHere([
      ...job,
      '--allow-edits',
      folder,
      '--trace',
      trace,
      ...agent,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('✓ Edit NOTES.md');
    const folded = await runHere(['fold', trace, '--format', 'json']);
    const { activity, entries } = printedConversation(folded.stdout);
    expect(activity.stopReason).toBe('end_turn');
    expect(entries.filter(({ kind }) => kind === 'toolCall')).toMatchObject([
      { title: 'Edit NOTES.md', toolKind: 'edit', status: 'completed' },
    ]);
  });

  test('refuses other edits, prints the turn, and exits with 6', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    const agent = await demoAgent(dialect, temporaryFolder());
    const job = ['prompt', 'Please edit my notes.', '--cwd', folder, '--permit', 'reject'];
    const { code, stdout, stderr } = await runHere([...job, '--allow-edits', join(folder, 'src'), ...agent]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^acp-client-sdk: A permission was refused: "[^"]*NOTES\.md\??"\.\n$/);
    expect(stdout).toContain('Edit NOTES.md');
  });
});

test('--allow-edits with a wrong path is refused before the agent starts', async () => {
  const { code, stderr } = await runHere([
    'prompt',
    'edit',
    '--allow-edits',
    join(temporaryFolder(), 'none'),
  ]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/--allow-edits: .*none is not a directory\./);
});
