import { afterEach, expect, test } from 'vitest';
import { isAlive, startAgent, survivors } from './processes.ts';

let daemon: number | undefined;
afterEach(async () => {
  if (daemon !== undefined && isAlive(daemon)) process.kill(daemon, 'SIGKILL');
  expect(await survivors()).toEqual([]);
});

test('[agents: leaves-daemon] a daemon that has left the process group is neither waited for nor ended', async () => {
  const { agent, hello } = startAgent('daemon.mjs');
  daemon = Number((await hello)['daemon']);
  await agent.close();
  await agent.reaped;
  expect(agent.exit).toMatchObject({ exitCode: 0, signal: null });
  expect(isAlive(daemon)).toBe(true);
});
