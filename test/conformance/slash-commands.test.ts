import { expect, test } from 'vitest';
import { deliver, openSession } from '../support/open-session.ts';

test('v1 commands are those of the last update', async () => {
  const { agent, conversation } = await openSession('v1');
  const web = { name: 'web', description: 'Search', input: { hint: 'query' } };
  const test = { name: 'test', description: 'Run tests' };
  await deliver(agent, {
    sessionUpdate: 'available_commands_update',
    availableCommands: [web, { ...test, type: 'own' }, { name: 7 }],
  });
  const type = 'command';
  expect(conversation().commands).toEqual([
    { ...web, type, input: { type: 'text', hint: 'query' } },
    { ...test, type },
  ]);
  await deliver(agent, { sessionUpdate: 'available_commands_update', availableCommands: [] });
  expect(conversation().commands).toEqual([]);
});

const web = { type: 'command', name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } };

test('v2 commands of the earlier draft have no type', async () => {
  const { agent, conversation } = await openSession('v2-markers');
  const { type: _, ...untyped } = web;
  await deliver(agent, { sessionUpdate: 'available_commands_update', availableCommands: [untyped] });
  expect(conversation().commands).toEqual([web]);
});
