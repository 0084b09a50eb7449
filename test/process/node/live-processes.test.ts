import { afterEach, expect, test } from 'vitest';
import { processTable } from '../../../src/node/process/process-table.ts';
import { startAgent, survivors } from './processes.ts';

const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const counts = () => events.map((event) => process.listenerCount(event));

afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

test('many agents share one listener per event, which is removed with the last agent', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', onWarning);
  const before = counts();

  const agents = Array.from({ length: 12 }, () => startAgent('exit', ['0', '{"up":true}']).agent);
  expect(counts()).toEqual(before.map((count) => count + 1));
  await Promise.all(agents.map((agent) => agent.reaped));

  expect(counts()).toEqual(before);
  expect(warnings).toEqual([]);
  process.off('warning', onWarning);
});

test('an agent that could not be started leaves no listener', async () => {
  const before = counts();
  const { agent } = startAgent('exit', [], { cwd: '/no/such/folder' });
  await agent.ended;
  expect(counts()).toEqual(before);
});

test('listeners are added again for the next agent', async () => {
  const before = counts();
  for (const _round of [1, 2]) {
    const { agent, hello } = startAgent('echo');
    await hello;
    expect(counts()).toEqual(before.map((count) => count + 1));
    await agent.close();
    expect(counts()).toEqual(before);
  }
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
