import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { emptyConversation, foldUpdate } from '../../../src/core/conversation/fold.ts';
import { refuses, text } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

describe('what a console shows', () => {
  test('of a conversation is its state and its last entries, each in a line', async () => {
    const { agent, session, conversation } = await openSession('v1', {
      answers: { 'session/prompt': () => ({ stopReason: 'end_turn' }) },
    });
    expect(inspect(conversation())).toBe('Conversation s1: idle, 0 entries');
    await session.prompt('Hello\n\u001b[31mthere');
    agent.update('s1', { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Read it', status: 'pending' });
    agent.update('s1', { sessionUpdate: 'session_info_update', title: 'A title' });
    await agent.request('session/none', { sessionId: 's1' });
    expect(inspect(conversation())).toBe(
      'Conversation s1 "A title": idle, 2 entries\n  user: Hello\\n\\u001b[31mthere\n  tool: Read it (pending)',
    );
    expect(inspect({ a: { b: { c: conversation() } } })).toContain('[Conversation s1]');
  });

  test('of a long conversation is short', () => {
    let conversation = emptyConversation('s1');
    for (let index = 0; index < 1000; index++) {
      const content = text('x'.repeat(10_000));
      const messageId = `m${index}`;
      conversation = foldUpdate(conversation, { sessionUpdate: 'agent_message_chunk', messageId, content });
    }
    const shown = inspect(conversation);
    expect(shown.split('\n')).toHaveLength(12);
    expect(shown).toContain('… 990 more');
    expect(shown.length).toBeLessThan(1000);
  });

  test('does not make a conversation less plain', () => {
    const conversation = emptyConversation('s1');
    expect(JSON.parse(JSON.stringify(conversation))).toEqual(conversation);
    expect(structuredClone(conversation)).toStrictEqual(conversation);
    expect(Object.getPrototypeOf(conversation)).toBe(Object.prototype);
    expect(Reflect.ownKeys({ ...conversation })).not.toContain(inspect.custom);
  });

  test('of a session and a connection are their main fields', async () => {
    const { connection, session } = await openSession('v1');
    expect(inspect(session)).toBe(
      `Session {\n  sessionId: 's1',\n  cwd: '${cwd}',\n  title: null,\n  status: 'idle',\n  entries: 0\n}`,
    );
    expect(inspect(connection)).toBe(
      "ClientConnection {\n  agent: 'scripted 1.0.0',\n  state: 'open',\n  protocolVersion: 1,\n  sessions: [ 's1' ]\n}",
    );
  });

  test('of an error is its message, the line of the call and what a program reads', async () => {
    const { session } = await openSession('v1', {
      answers: { 'session/prompt': refuses(-32603, 'not today') },
    });
    const error: unknown = await session.prompt('Hi.').catch((caught: unknown) => caught);
    const lines = inspect(error).split('\n');
    expect(lines[0]).toContain('prompt: ');
    expect(lines[1]).toContain('inspect.test.ts');
    expect(lines.length).toBeLessThan(25);
    expect(inspect(error)).toContain("method: 'session/prompt'");
  });
});
