import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { examples } from '../../../src/programs/demo/stories/index.ts';
import { connect, dialects } from './dialects.ts';

test.each(dialects)('the examples hold all that a transcript can show in $name', async (dialect) => {
  const client = await connect(dialect);
  const updates: JsonObject[] = [];
  for (const { sessionId } of examples) {
    await dialect.replay(client, sessionId);
    updates.push(...client.updates(sessionId));
  }
  const tags = updates.map(({ sessionUpdate }) => String(sessionUpdate).replace(/_(chunk|update)$/, ''));
  const messages = ['user_message', 'agent_message', 'agent_thought'];
  expect(tags).toEqual(expect.arrayContaining([...messages, 'tool_call', 'plan', 'usage', 'session_info']));
  const text = JSON.stringify(updates);
  for (const type of ['image', 'diff', 'resource_link']) expect(text).toContain(`"type":"${type}"`);
  expect(text.includes('"type":"terminal"')).toBe(dialect.protocolVersion === 2);
  for (const script of [/\p{Script=Greek}/u, /\p{Script=Han}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u]) {
    expect(text).toMatch(script);
  }
  for (const character of ['\u2028', '\u200d']) expect(text).toContain(character);
});

test('the examples have absolute directories, titles, and times that differ', () => {
  for (const { cwd, title } of examples) {
    expect(cwd).toMatch(/^\//);
    expect(title).not.toBeNull();
  }
  expect(new Set(examples.map(({ updatedAt }) => updatedAt)).size).toBe(examples.length);
});
