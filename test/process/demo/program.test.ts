import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { keywords } from '../../../src/programs/demo/replies.ts';
import { buildDemoAgent } from '../../support/build-demo-agent.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { allowOnce, dialects, newSession } from './dialects.ts';
import { RawClient } from './raw-client.ts';

const [v1] = dialects as [(typeof dialects)[number]];

test('the help names every option and every keyword', async () => {
  const help = execFileSync(process.execPath, [await buildDemoAgent(), '--help'], { encoding: 'utf8' });
  const words = keywords.flatMap((keyword) => keyword.words);
  for (const word of ['--state', '--dialect', 'v2-markers', ...words]) expect(help).toContain(word);
});

test('the variable that lets Electron run as Node is removed', async () => {
  const atExit = `process.on('exit', () => console.log('ELECTRON_RUN_AS_NODE' in process.env))`;
  const args = [`--import=data:text/javascript,${encodeURIComponent(atExit)}`, await buildDemoAgent()];
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const printed = execFileSync(process.execPath, [...args, '--help'], { encoding: 'utf8', env });
  expect(printed.trimEnd().endsWith('\nfalse')).toBe(true);
});

test.each([
  { args: ['--nonsense'], names: '--nonsense' },
  { args: ['--dialect', 'v3'], names: 'v2-markers' },
  { args: ['serve'], names: 'serve' },
])('$args is wrong usage', async ({ args, names }) => {
  await using client = await RawClient.start(...args);
  const { code, stderr, rest } = await client.exit();
  expect(code).toBe(2);
  expect(stderr).toContain(names);
  expect(rest).toBe('');
});

test('a folder that cannot be one is named', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await using client = await RawClient.start('--state', join(file, 'folder'));
  const { code, stderr } = await client.exit();
  expect(code).toBe(1);
  expect(stderr).toContain(file);
});

test.each(dialects)('the same input gives the same output in $name', async (dialect) => {
  const run = async (): Promise<readonly JsonObject[]> => {
    await using client = await RawClient.start('--state', temporaryFolder(), '--dialect', dialect.name);
    client.answer = allowOnce;
    await client.request('initialize', dialect.initialize);
    await dialect.replay(client, 'example-tea-house');
    const sessionId = await newSession(client, '/home/ada');
    await dialect.prompt(client, sessionId, 'plan, edit, run, image, unicode');
    await client.request('session/list', {});
    await client.end();
    return client.received.map(({ message }) => message);
  };
  const first = await run();
  expect(await run()).toEqual(first);
});

test('several processes share a folder, and each session has one id', async () => {
  const folder = temporaryFolder();
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => {
      await using client = await RawClient.start('--state', folder);
      await client.request('initialize', v1.initialize);
      const mine = [await newSession(client, '/a'), await newSession(client, '/b')];
      await client.end();
      return mine;
    }),
  );
  const numbers = Array.from({ length: 8 }, (_, index) => `session-${index + 1}`);
  expect(ids.flat().sort()).toEqual(numbers);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test.each(['--state', '--dialect'])(
  'a prompt changes an example until the process ends (%s)',
  async (option) => {
    const args = option === '--state' ? [option, temporaryFolder()] : [option, 'v1'];
    for (const prompt of ['first', 'second']) {
      await using client = await RawClient.start(...args);
      await client.request('initialize', v1.initialize);
      await v1.replay(client, 'example-lighthouse');
      expect(JSON.stringify(client.updates('example-lighthouse'))).not.toContain('first');
      await v1.prompt(client, 'example-lighthouse', prompt);
      await client.request('session/close', { sessionId: 'example-lighthouse' });
      const start = client.received.length;
      await v1.replay(client, 'example-lighthouse');
      expect(JSON.stringify(client.updates('example-lighthouse', start))).toContain(`You wrote: “${prompt}”`);
      await client.end();
    }
  },
);

test('without --state a session ends with the process', async () => {
  for (let times = 0; times < 2; times += 1) {
    await using client = await RawClient.start();
    await client.request('initialize', v1.initialize);
    expect(await newSession(client, '/a')).toBe('session-1');
    expect(await v1.prompt(client, 'session-1', 'hello')).toBe('end_turn');
    await client.end();
  }
});

test('the same prompt gets the same answer next to other sessions', async () => {
  const answerAfter = async (others: number): Promise<unknown> => {
    await using client = await RawClient.start();
    await client.request('initialize', v1.initialize);
    for (let number = 0; number < others; number += 1) {
      await v1.prompt(client, await newSession(client, '/other'), 'plan');
    }
    const sessionId = await newSession(client, '/a');
    await v1.prompt(client, sessionId, 'plan, run');
    return client.updates(sessionId);
  };
  expect(await answerAfter(2)).toEqual(await answerAfter(0));
});
