import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startServeExample } from '../support/serve-example.ts';
import { officialAgent, playRound, transportNames } from './round.ts';

test('the example has at most 98 lines of code', () => {
  const lines = readFileSync(new URL('../../docs/examples/serve/serve.mjs', import.meta.url), 'utf8').split(
    '\n',
  );
  const code = lines.filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line));
  expect(code.length).toBeLessThanOrEqual(98);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

test('the example serves an agent over both transports, and nothing of a connection is left', async () => {
  const server = await startServeExample({ agent: officialAgent('v1') });
  await Promise.all(transportNames.map((transport) => playRound({ url: server.url, transport })));
  await eventually(server.children).toEqual([]);
  expect(server.complaints()).toBe('');
});
