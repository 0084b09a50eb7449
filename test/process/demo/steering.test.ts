import { expect, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import type { Session } from '../../../src/client/session/session.ts';
import { textOf } from '../../../src/conversation/select.ts';
import { spawnAgent } from '../../../src/node/spawn.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { buildDemoAgent } from '../../support/build-demo-agent.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const dialects: readonly DialectName[] = ['v1', 'v2-markers', 'v2-baseline'];
const clientInfo = { name: 'test', version: '0' };
const cwd = '/home/ada';

const words = ({ conversation }: Session) =>
  conversation.entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role !== 'thought' ? [`${entry.role}: ${textOf(entry)}`] : [],
  );

test.each(dialects)('the demo agent takes a message into a turn that counts, in %s', async (dialect) => {
  const args = [await buildDemoAgent(), '--dialect', dialect, '--state', temporaryFolder()];
  const command = { command: process.execPath, args };
  const connection = await connect(spawnAgent(command), { clientInfo });
  const session = await connection.newSession({ cwd });
  const idle = await session.steer('Hello?', { fallback: 'none' });
  expect(idle).toEqual({ outcome: 'notTaken' });
  const turn = session.prompt('Count slowly.');
  await eventually(() => words(session).join('')).toContain('3 🐑');
  expect(await session.steer('Are there goats?')).toMatchObject({ outcome: 'injected' });
  await eventually(() => words(session).at(-1)).toMatch(/“Are there goats\?”.* \d+ 🐑/);
  expect(words(session).filter((line) => line === 'user: Are there goats?')).toHaveLength(1);
  expect(session.conversation).not.toHaveProperty('pendingMessages');
  const next = session.queue('And now?');
  await session.cancel();
  expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  expect(await next).toMatchObject({ stopReason: 'end_turn' });
  const live = words(session);
  await connection.close();

  const later = await connect(spawnAgent(command), { clientInfo });
  const loaded = await later.loadSession({ sessionId: session.sessionId, cwd });
  expect(words(loaded)).toEqual(live);
  await later.close();
});
