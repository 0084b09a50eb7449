import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { ExitError, SpawnError } from '../../src/errors.ts';
import { spawnAgent } from '../../src/node/spawn.ts';
import { programPath, survivors } from './processes.ts';

afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

const clientInfo = { name: 'test', version: '1' };

test('a program that cannot be started rejects the connection with why', async () => {
  const agent = spawnAgent({ command: 'no-such-agent' });
  const error = await connect(agent, { clientInfo }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SpawnError);
  expect(error).toMatchObject({ errno: 'ENOENT', command: 'no-such-agent' });
});

test('a program that ends at once rejects the connection with how, and its last words', async () => {
  const agent = spawnAgent({
    command: process.execPath,
    args: [programPath('exit.mjs'), '3', '', 'no key given'],
  });
  const error = await connect(agent, { clientInfo }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ExitError);
  expect(error).toMatchObject({ exitCode: 3, signal: null, stderrTail: 'no key given' });
  expect(error).toMatchObject({ message: expect.stringContaining('before it sent a message') });
  await agent.reaped;
});

test('a program that answers nothing but its own words is ended with the connection', async () => {
  const agent = spawnAgent({ command: process.execPath, args: [programPath('polite.mjs')] });
  const patience = new AbortController();
  const opening = connect(agent, {
    clientInfo,
    signal: patience.signal,
    trace: { write: ({ dir }) => dir === 'in' && patience.abort(new Error('enough')) },
  });
  await expect(opening).rejects.toThrow('enough');
  await agent.reaped;
  expect(agent.exit).toMatchObject({ exitCode: 0 });
});
