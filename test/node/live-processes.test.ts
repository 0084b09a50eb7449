import { afterEach, expect, test } from 'vitest';
import { startAgent, survivors } from './processes.ts';

const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const counts = () => events.map((event) => process.listenerCount(event));

afterEach(async () => {
  expect(await survivors()).toEqual([]);
});

test('many agents share one listener for each event, and the last one takes it away', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', onWarning);
  const before = counts();

  const agents = Array.from({ length: 50 }, () => startAgent('exit.mjs', ['0', '{"up":true}']).agent);
  expect(counts()).toEqual(before.map((count) => count + 1));
  await Promise.all(agents.map((agent) => agent.reaped));

  expect(counts()).toEqual(before);
  expect(warnings).toEqual([]);
  process.off('warning', onWarning);
});

test('an agent that could not be started leaves no listener', async () => {
  const before = counts();
  const { agent } = startAgent('exit.mjs', [], { cwd: '/no/such/folder' });
  await agent.ended;
  expect(counts()).toEqual(before);
});

test('agents that are started again are listened for again', async () => {
  const before = counts();
  for (const _round of [1, 2]) {
    const { agent, hello } = startAgent('echo.mjs');
    await hello;
    expect(counts()).toEqual(before.map((count) => count + 1));
    await agent.close();
    expect(counts()).toEqual(before);
  }
});
