import { expect, onTestFinished, test } from 'vitest';
import { nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { openSession, terminalCalls } from '../../support/open-session.ts';

async function serving() {
  const own = nodeTerminals({ cwd: process.cwd() });
  onTestFinished(() => own.close());
  const { agent, conversation } = await openSession('v1', { handlers: { terminals: own } });
  return { agent, own, ...terminalCalls(agent), conversation };
}

test('[33] v1 terminals that were advertised are served, all five methods', async () => {
  const { call, run } = await serving();
  const terminalId = await run('process.stdout.write(process.env.WHO + process.cwd()); process.exit(3)', {
    env: [{ name: 'WHO', value: 'me' }],
    cwd: '/',
  });
  expect(await call('wait_for_exit', { terminalId })).toEqual({ exitCode: 3, signal: null });
  expect(await call('output', { terminalId })).toEqual({
    output: 'me/',
    truncated: false,
    exitStatus: { exitCode: 3, signal: null },
  });
  const endless = await run('setInterval(() => {}, 1000)');
  expect(await call('kill', { terminalId: endless })).toEqual({});
  expect(await call('wait_for_exit', { terminalId: endless })).toMatchObject({ exitCode: null });
  expect(await call('release', { terminalId: endless })).toEqual({});
  await expect(call('output', { terminalId: endless })).rejects.toThrow('-32002');
});

test('[35] v1 output beyond the limit loses its beginning, at a character boundary', async () => {
  const { call, run } = await serving();
  // The last characters have one, two and three bytes, and the limit cuts the one before them.
  const terminalId = await run('process.stdout.write("\\u20ac".repeat(100) + "!\\u00e9\\u20ad")', {
    outputByteLimit: 8,
  });
  await call('wait_for_exit', { terminalId });
  expect(await call('output', { terminalId })).toMatchObject({
    output: '!\u00e9\u20ad',
    truncated: true,
  });
});

test('[35] v1 output of a released terminal is kept', async () => {
  const { call, run, own, conversation } = await serving();
  const terminalId = await run('process.stdout.write("kept")');
  await call('wait_for_exit', { terminalId });
  await call('release', { terminalId });
  expect(own.get(terminalId)).toMatchObject({ output: 'kept' });
  expect(conversation().terminals[terminalId]).toMatchObject({ output: 'kept', exitStatus: { exitCode: 0 } });
});
