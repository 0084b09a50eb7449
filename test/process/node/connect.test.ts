import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { ExitError } from '../../../src/core/base/errors.ts';
import type { PathMap } from '../../../src/core/protocol/path-map.ts';
import { pathMap } from '../../../src/core/protocol/shared-directories.ts';
import { processTable } from '../../../src/node/process/process-table.ts';
import { buildPackage } from '../../support/build.ts';
import { eventually } from '../../support/eventually.ts';
import { isWindows, killed, programCommand, startAgent, survivors } from './processes.ts';

afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

const clientInfo = { name: 'test', version: '1' };

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

const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const counts = () => events.map((event) => process.listenerCount(event));

test('many agents share one listener per event, which goes with the last agent, and comes with the next', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', onWarning);
  const before = counts();
  for (const _round of [1, 2]) {
    const agents = Array.from({ length: 12 }, () => startAgent('exit', ['0', '{"up":true}']).agent);
    expect(counts()).toEqual(before.map((count) => count + 1));
    await Promise.all(agents.map((agent) => agent.reaped));
    expect(counts()).toEqual(before);
  }
  expect(warnings).toEqual([]);
  process.off('warning', onWarning);
});

test('an agent that could not be started leaves no listener', async () => {
  const before = counts();
  const { agent } = startAgent('exit', [], { cwd: '/no/such/folder' });
  await agent.ended;
  expect(counts()).toEqual(before);
});

test('no process of the library stays behind the last agent', async () => {
  const children = async () => (await processTable()).filter(({ parent }) => parent === process.pid).length;
  const before = await children();
  const { agent, hello } = startAgent('echo');
  await hello;
  expect(await children()).toBeGreaterThan(before);
  await agent.close();
  expect(await children()).toBe(before);
});

const run = promisify(execFile);

/** An agent of version 1 that prints banners. */
const agent = `
  console.log('a banner');
  console.log('another banner');
  process.stdin.once('data', (line) => {
    const result = { protocolVersion: 1, agentCapabilities: {} };
    console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result }));
  });
`;

test('a program without onDiagnostic gets warnings on stderr, one for each rule, and nothing on stdout', async () => {
  const library = await buildPackage();
  const entry = (name: string) => JSON.stringify(pathToFileURL(join(library, name)).href);
  const program = `
    import { connect } from ${entry('index.js')};
    import { spawnAgent } from ${entry('node.js')};
    const args = ['-e', ${JSON.stringify(agent)}];
    const clientInfo = { name: 'test', version: '0' };
    const connection = await connect(spawnAgent({ command: process.execPath, args }), { clientInfo });
    await connection.close();
  `;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('');
  const rules = [...stderr.matchAll(/^acp-client-sdk: warning ([\w.]+): /gm)].map(([, rule]) => rule);
  expect(rules).toEqual(['transport.noise']);
  expect(stderr).toContain('Pass onDiagnostic to connect');
});
