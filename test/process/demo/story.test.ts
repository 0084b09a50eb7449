import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { examples } from '../../../src/programs/demo/stories/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { dialects } from './dialects.ts';
import { RawClient } from './raw-client.ts';

test.each(dialects)('the examples hold all that a transcript can show in $name', async (dialect) => {
  await using client = await RawClient.start('--state', temporaryFolder(), '--dialect', dialect.name);
  await client.request('initialize', dialect.initialize);
  const updates: JsonObject[] = [];
  for (const { sessionId } of examples) {
    await dialect.replay(client, sessionId);
    updates.push(...client.updates(sessionId));
  }
  const tags = new Set(
    updates.map(({ sessionUpdate }) => String(sessionUpdate).replace(/_(chunk|update)$/, '')),
  );
  for (const tag of [
    'user_message',
    'agent_message',
    'agent_thought',
    'tool_call',
    'plan',
    'usage',
    'session_info',
  ]) {
    expect(tags).toContain(tag);
  }
  const text = JSON.stringify(updates);
  for (const type of ['image', 'diff', 'resource_link']) expect(text).toContain(`"type":"${type}"`);
  expect(text.includes('"type":"terminal"')).toBe(dialect.protocolVersion === 2);
  for (const script of [/\p{Script=Greek}/u, /\p{Script=Han}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u]) {
    expect(text).toMatch(script);
  }
  for (const character of ['\u2028', '\u200d']) expect(text).toContain(character);
});

test('the examples have absolute folders, titles, and times that differ', () => {
  for (const { cwd, title } of examples) {
    expect(cwd).toMatch(/^\//);
    expect(title).not.toBeNull();
  }
  expect(new Set(examples.map(({ updatedAt }) => updatedAt)).size).toBe(examples.length);
});
