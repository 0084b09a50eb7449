import { expect, test } from 'vitest';
import type { Session } from '../../../src/core/client/session/session.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import { memoryStore } from '../../../src/programs/demo/store.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { connectLibrary, cwd } from './dialects.ts';

const words = ({ conversation }: Session) =>
  conversation.entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role !== 'thought' ? [`${entry.role}: ${textOf(entry)}`] : [],
  );

test.each(dialectNames)('the demo agent takes a message into a turn that counts, in %s', async (dialect) => {
  const store = memoryStore();
  const connection = await connectLibrary(dialect, store);
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

  const later = await connectLibrary(dialect, store);
  const loaded = await later.loadSession({ sessionId: session.sessionId, cwd });
  expect(words(loaded)).toEqual(live);
});
