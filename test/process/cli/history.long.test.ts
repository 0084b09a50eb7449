import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../support/build.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, outlineOf, printedConversation, runHere } from './command-line.ts';
import { startCommandInTerminal } from './real-terminal.ts';

beforeAll(buildPackage);

const question = 'Is 1900 a leap year?';

/** A session with one turn, recorded with `--keep` in the data directory of a user. */
async function recordedSession() {
  const [data, folder] = [temporaryFolder(), temporaryFolder()];
  const agent = await demoAgent('v1', folder);
  const env = { XDG_DATA_HOME: data, HOME: data, LOCALAPPDATA: data };
  expect(await runHere(['prompt', question, '--keep', ...agent], { env })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const history = (...args: readonly string[]) => runHere(['history', ...args], { env });
  const [info] = JSON.parse((await history('--format', 'json')).stdout);
  return { agent, env, history, id: info.id as string, info };
}

test('prompt --keep records a session that history lists, prints in each format, and removes', async () => {
  const { history, id, info } = await recordedSession();
  expect(info).toMatchObject({ title: question, agent: { name: 'acp-demo-agent' }, cwd: process.cwd() });
  const listed = await history();
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(new RegExp(`^${id}  .*UTC  acp-demo-agent  Is 1900 a leap year\\?  `));
  expect((await history('--cwd', temporaryFolder())).stderr).toContain(
    'There are no transcripts of sessions',
  );

  expect((await history('print', id)).stdout).toContain(`\nUser\n  ${question}\n`);
  expect((await history('print', id, '--format', 'markdown')).stdout).toContain('# Is 1900');
  expect((await history('print', id, '--format', 'html')).stdout).toMatch(/^<!doctype html>/i);
  const conversation = printedConversation((await history('print', id, '--format', 'json')).stdout);
  expect(outlineOf(conversation)[0]).toBe(`user live: ${question}`);

  const removed = await history('remove', id);
  expect(removed).toEqual({ code: 0, stdout: '', stderr: `Deleted the transcript: ${id} ${question}\n` });
  expect(await history('--format', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
  for (const action of ['print', 'remove']) {
    const { code, stdout, stderr } = await history(action, id);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `acp-client-sdk: There is no transcript "${id}". "npx acp-client-sdk history" lists those that exist.\n`,
    );
  }
});

test('an id that a shell would divide is quoted in the list', async () => {
  const { env, history } = await recordedSession();
  const agent = await demoAgent('v1', temporaryFolder());
  await runHere(['prompt', question, '--keep', ...agent], { env });
  expect((await history()).stdout).toMatch(/^'session-1 \(.*Z\)' {2}/m);
});

test('a search prints each hit below the heading of its entry, in colors if the terminal has them', async () => {
  const { agent, env, history, id } = await recordedSession();
  const lines = ['first line', 'the needle is here', 'last line', 'not shown'].join('\n');
  await runHere(['prompt', lines, '--session', id, '--keep', ...agent], { env });
  const text = await history('search', 'the', 'needle');
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toContain('\n  User\n    the needle is here\n\n');

  const terminal = await startCommandInTerminal(['history', 'search', 'NEEDLE'], 100, { env });
  expect(await terminal.ended).toBe(0);
  expect(terminal.written()).toContain('the \x1b[0;1;31mneedle\x1b[0m is here');
  expect(terminal.screen()).toContain('  User\n    the needle is here\n');

  const { stdout } = await history('search', 'the needle', '--format', 'jsonl');
  const hits = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(hits[0]).toMatchObject({ id, text: 'the needle is here', match: { start: 0, end: 10 } });
  expect(await history('search', 'haystack')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'No transcript has "haystack".\n',
  });
});

test('chat --keep records in --directory, and a session that is continued stays one transcript', async () => {
  const directory = join(temporaryFolder(), 'transcripts');
  const agent = await demoAgent('v2-baseline', temporaryFolder());
  const keep = ['--keep', '--directory', directory];
  await runHere(['chat', ...keep, ...agent], { input: 'one\ntwo\n' });
  const [{ id }] = JSON.parse(
    (await runHere(['history', '--format', 'json', '--directory', directory])).stdout,
  );
  await runHere(['chat', ...keep, '--session', id, ...agent], { input: 'three\n' });
  const { stdout } = await runHere(['history', 'print', id, '--format', 'json', '--directory', directory]);
  const asked = outlineOf(printedConversation(stdout)).filter((line) => line.startsWith('user'));
  expect(asked.map((line) => line.replace(/^.*: /, ''))).toEqual(['one', 'two', 'three']);
});

test.each([
  {
    file: 'of a newer version',
    damage: (text: string) => text.replace(/"version":\d+/, '"version":99'),
    listed: 'needs a newer acp-client-sdk',
    says: 'Update acp-client-sdk.',
  },
  {
    file: 'damaged behind its header',
    damage: (text: string) => `${text.split('\n', 1)[0]}\n{"snap`,
    listed: '',
    says: 'remove the transcript with "npx acp-client-sdk history remove".',
  },
])('a file $file is listed, and printing it exits with 2', async ({ damage, listed, says }) => {
  const { env, history, id } = await recordedSession();
  const directory = join(env.XDG_DATA_HOME, 'acp-client-sdk', 'transcripts');
  const [name = ''] = readdirSync(directory).filter((each) => each.endsWith('.jsonl'));
  const path = join(directory, name);
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  const { stdout } = await history();
  expect(stdout).toContain(id);
  expect(stdout).toContain(listed);
  const printed = await history('print', id);
  expect(printed).toMatchObject({ code: 2, stdout: '' });
  expect(printed.stderr).toContain(says);
  expect(printed.stderr).not.toContain('bug');
});

test('without --keep, and in a directory that does not exist, nothing is made', async () => {
  const data = temporaryFolder();
  const env = { XDG_DATA_HOME: data, HOME: data, LOCALAPPDATA: data };
  await runHere(['prompt', question, ...(await demoAgent('v1', temporaryFolder()))], { env });
  const { code, stdout, stderr } = await runHere(['history'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('"npx acp-client-sdk chat --keep" records one.');
  const there = await runHere(['history', '--directory', join(data, 'other')], { env });
  expect(there.stderr).toContain('"npx acp-client-sdk chat --keep" with the same --directory records one.');
  expect(readdirSync(data)).toEqual([]);
});

test('a directory that cannot be used, or has other files, exits with 2 before the agent starts', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'notes.txt');
  writeFileSync(file, '');
  const started = join(temporaryFolder(), 'started');
  const agent = ['--', process.execPath, '-e', `fs.writeFileSync(${JSON.stringify(started)}, '')`];
  for (const { directory, says } of [
    { directory: file, says: '--directory names another one.' },
    { directory: folder, says: 'has other files than transcripts, such as notes.txt' },
    // Nothing can be made there.
    ...(process.platform === 'linux'
      ? [{ directory: '/proc/x', says: '--directory names another one.' }]
      : []),
  ]) {
    for (const words of [['prompt', 'x', '--keep'], ...(existsSync(directory) ? [['history']] : [])]) {
      const args = [...words, '--directory', directory, ...(words[0] === 'prompt' ? agent : [])];
      const { code, stdout, stderr } = await runHere(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(says);
      expect(stderr).toContain(directory);
    }
  }
  expect(existsSync(started)).toBe(false);
});
