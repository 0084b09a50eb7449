import { expect, test } from 'vitest';
import { flush, openSession } from '../../support/open-session.ts';

const web = { type: 'command', name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } };

test('v2 commands of the earlier draft have no type', async () => {
  const { agent, conversation } = await openSession('v2-markers');
  const { type: _, ...untyped } = web;
  agent.update('s1', { sessionUpdate: 'available_commands_update', availableCommands: [untyped] });
  await flush(agent);
  expect(conversation().commands).toEqual([web]);
});
