import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { ExitError, SpawnError } from '../../../src/core/base/errors.ts';
import type { PathMap } from '../../../src/core/protocol/path-map.ts';
import { pathMap } from '../../../src/core/protocol/shared-directories.ts';
import { eventually } from '../../support/eventually.ts';
import { isWindows, killed, programCommand, survivors } from './processes.ts';

afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

const clientInfo = { name: 'test', version: '1' };

test('connect rejects with the reason if the program cannot be started', async () => {
  const agent = spawnAgent({ command: 'no-such-agent' });
  const error = await connect(agent, { clientInfo }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SpawnError);
  expect(error).toMatchObject({ errno: 'ENOENT', command: 'no-such-agent' });
});

test('connect rejects with the exit and the last output if the program exits at once', async () => {
  const agent = spawnAgent(programCommand('exit', '3', '', 'no key given'));
  const error = await connect(agent, { clientInfo }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ExitError);
  expect(error).toMatchObject({ exitCode: 3, signal: null, stderrTail: 'no key given' });
  expect(error).toMatchObject({ message: expect.stringContaining('before it sent a message') });
  await agent.reaped;
});

test('the error of a crash names the agent by its title', async () => {
  const result = {
    protocolVersion: 1,
    agentInfo: { name: 'tiny', title: 'Tiny Agent', version: '1' },
    agentCapabilities: {},
  };
  const program = `process.stdin.once('data', (line) => {
    const { id } = JSON.parse(line);
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: ${JSON.stringify(result)} });
    process.stdout.write(answer + '\\n', () => process.exit(3));
  })`;
  const agent = spawnAgent({ command: process.execPath, args: ['-e', program] });
  const connection = await connect(agent, { clientInfo });
  const { error } = await connection.closed;
  expect(error).toBeInstanceOf(ExitError);
  expect(error?.message).toContain('Tiny Agent');
  expect(error?.message).not.toContain(process.execPath);
  await agent.reaped;
});

test('a program that does not answer initialize is ended with the connection', async () => {
  const agent = spawnAgent(programCommand('polite'));
  const timeout = new AbortController();
  const opening = connect(agent, {
    clientInfo,
    onDiagnostic() {},
    signal: timeout.signal,
    trace: { write: ({ dir }) => dir === 'in' && timeout.abort(new Error('enough')) },
  });
  await expect(opening).rejects.toThrow('enough');
  await agent.reaped;
  expect(agent.exit).toMatchObject(isWindows ? killed : { exitCode: 0 });
});

test('a new session in a directory that does not exist is reported, but for an agent with paths of its own', async () => {
  const found: string[] = [];
  const onDiagnostic = ({ rule, message }: Diagnostic) => {
    if (rule === 'session.missing_directory') found.push(message);
  };
  const missing = join(import.meta.dirname, 'no-such-directory');
  const file = import.meta.filename;
  const program = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = method === 'initialize' ? { protocolVersion: 1, agentCapabilities: {} } : { sessionId: 's' + id };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  })`;
  const run = async (paths?: PathMap) => {
    const agent = spawnAgent({ command: process.execPath, args: ['-e', program] });
    const connection = await connect(agent, { clientInfo, onDiagnostic, paths });
    for (const cwd of [import.meta.dirname, missing, file]) await connection.newSession({ cwd });
    await connection.close();
  };
  await run();
  // No call waits until its directory was looked at, so their order is not known.
  await eventually(() => found.toSorted()).toEqual([
    expect.stringContaining(file),
    expect.stringMatching(/no-such-directory, which is not a directory on this machine\. Create it, or/),
  ]);
  await run(pathMap([{ editor: import.meta.dirname, agent: '/work' }]));
  expect(found).toHaveLength(2);
});
