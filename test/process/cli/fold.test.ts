import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { outlineOf, printedConversation, runHere, startCommand } from './command-line.ts';

const recording = fileURLToPath(
  new URL('../../fixtures/traffic/opencode-1.18.33.reload.ndjson', import.meta.url),
);

test('prints the session with the most updates, and names the others on stderr', async () => {
  const { code, stdout, stderr } = await runHere(['fold', recording, '--format', 'json']);
  expect(code).toBe(0);
  expect(printedConversation(stdout).sessionId).toBe('ses_e06597c3cffe1hu9yrzzkk99Qn');
  expect(stderr).toContain('ses_e0658f334ffe4U8q8UQCpjLFOj');
  const other = await runHere([
    'fold',
    recording,
    '--format',
    'json',
    '--session',
    'ses_e0658f334ffe4U8q8UQCpjLFOj',
  ]);
  expect(printedConversation(other.stdout).sessionId).toBe('ses_e0658f334ffe4U8q8UQCpjLFOj');
  expect(other.stderr).toBe('');
});

test('a session that is not in the recording exits with 2 and names those that are', async () => {
  const { code, stdout, stderr } = await runHere(['fold', recording, '--session', 'unknown']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('ses_e06597c3cffe1hu9yrzzkk99Qn');
});

test('warns of the first ten invalid lines', async () => {
  const file = join(temporaryFolder(), 'damaged.ndjson');
  writeFileSync(file, `${'damage\n'.repeat(15)}${readFileSync(recording, 'utf8')}{"dir":"in","t":1,"ms`);
  const whole = await runHere(['fold', recording, '--format', 'json']);
  const { code, stdout, stderr } = await runHere(['fold', file, '--format', 'json']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: whole.stdout });
  expect(stderr).toContain('Line 1 ');
  expect(stderr).toContain('\n  received: damage\n');
  expect(stderr).toContain('… and 6 more');
});

test('reads a recording from stdin, and one that begins after initialize with --protocol', async () => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hi' } };
  const msg = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } };
  const input = JSON.stringify({ dir: 'in', t: 0, msg });
  expect(await runHere(['fold', '-'], { input })).toMatchObject({ code: 2, stdout: '' });
  const { code, stdout } = await runHere(['fold', '-', '--format', 'json', '--protocol', '1'], { input });
  expect(code).toBe(0);
  expect(outlineOf(printedConversation(stdout))).toEqual(['agent live: Hi']);
});

test('Ctrl-C ends the command while it waits for stdin', async () => {
  const running = await startCommand(['fold', '-'], { keepInputOpen: true });
  // A pipe holds less: the command has begun to read.
  await new Promise((resolve) => running.process.stdin.write('\n'.repeat(2 ** 21), resolve));
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});
