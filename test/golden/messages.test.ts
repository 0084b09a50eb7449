import { expect, test } from 'vitest';
import type { DialectName } from '../../src/protocol/dialect.ts';
import { text } from '../support/agents.ts';
import { flush, messages, openSession, outline } from '../support/open-session.ts';

const agentChunk = (said: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: text(said),
  ...(messageId !== undefined && { messageId }),
});
const thoughtChunk = (said: string, messageId?: string) => ({
  ...agentChunk(said, messageId),
  sessionUpdate: 'agent_thought_chunk',
});
const message = (messageId: string, content?: unknown) => ({
  sessionUpdate: 'agent_message',
  messageId,
  ...(content !== undefined && { content }),
});
const toolCall = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'T', status: 'completed' };

async function folded(dialect: DialectName, ...updates: readonly object[]) {
  const { agent, conversation, diagnostics } = await openSession(dialect);
  agent.update('s1', ...updates);
  await flush(agent);
  return { conversation: conversation(), diagnostics };
}

test('1. message, thought, message without ids are three entries, and a tool call divides as well', async () => {
  const { conversation } = await folded(
    'v1',
    agentChunk('a'),
    thoughtChunk('b'),
    agentChunk('c'),
    toolCall,
    agentChunk('d'),
  );
  expect(outline(conversation)).toEqual(['agent: a', 'thought: b', 'agent: c', 't: completed', 'agent: d']);
});

test('2. ids a, a, b are two messages; a, none, a are one; none and then a are one', async () => {
  const outlineOf = async (...ids: (string | undefined)[]) =>
    outline((await folded('v1', ...ids.map((id, n) => agentChunk(String(n), id)))).conversation);
  expect(await outlineOf('a', 'a', 'b')).toEqual(['agent: 01', 'agent: 2']);
  expect(await outlineOf('a', undefined, 'a')).toEqual(['agent: 012']);
  expect(await outlineOf(undefined, 'a', 'a')).toEqual(['agent: 012']);
  expect(await outlineOf(undefined, 'a', undefined, 'b')).toEqual(['agent: 012', 'agent: 3']);
});

test('3. an id that comes back in version 1 goes on with its message, where that was first seen', async () => {
  const { conversation } = await folded(
    'v1',
    agentChunk('a', '1'),
    toolCall,
    agentChunk('b', '1'),
    agentChunk('c', '2'),
  );
  expect(outline(conversation)).toEqual(['agent: ab', 't: completed', 'agent: c']);
  expect(messages(conversation).map(({ messageId }) => messageId)).toEqual(['1', '2']);
});

test('4. an id that comes back in version 2 goes on with its message, where that was first seen', async () => {
  const { conversation } = await folded(
    'v2-baseline',
    agentChunk('a', '1'),
    agentChunk('x', '2'),
    agentChunk('b', '1'),
  );
  expect(outline(conversation)).toEqual(['agent: ab', 'agent: x']);
});

test('5. a message after chunks replaces them, and a later chunk appends to it', async () => {
  const { conversation } = await folded(
    'v2-baseline',
    agentChunk('draft', '1'),
    message('1', [text('X')]),
    agentChunk('!', '1'),
  );
  expect(outline(conversation)).toEqual(['agent: X!']);
});

test('6. a message without content keeps it, with null or none is empty, and stays', async () => {
  const said = async (...updates: object[]) =>
    outline((await folded('v2-baseline', agentChunk('a', '1'), ...updates)).conversation);
  expect(await said(message('1'))).toEqual(['agent: a']);
  expect(await said(message('1', null))).toEqual(['agent: ']);
  expect(await said(message('1', []))).toEqual(['agent: ']);
});

test('7. one id under two roles is two messages, in every dialect, and no fault', async () => {
  for (const dialect of ['v1', 'v2-markers', 'v2-baseline'] as const) {
    const { conversation, diagnostics } = await folded(
      dialect,
      thoughtChunk('hm', '1'),
      agentChunk('so', '1'),
      thoughtChunk('.', '1'),
    );
    expect(outline(conversation)).toEqual(['thought: hm.', 'agent: so']);
    expect(diagnostics).toEqual([]);
  }
});

test('8. empty and blank chunks are kept, and a text cut anywhere is the same text', async () => {
  const { conversation: blank } = await folded('v1', agentChunk(''), agentChunk('  \n'), agentChunk(''));
  expect(outline(blank)).toEqual(['agent:   \n']);
  const whole = 'a\ud83d\ude80\r\n```ts\n\u00e9e\u0301 ```';
  const cut = Array.from({ length: whole.length }, (_, n) => agentChunk(whole.slice(n, n + 1)));
  const { conversation } = await folded('v1', ...cut);
  expect(messages(conversation)).toMatchObject([{ content: [text(whole)] }]);
});

test('9. what is no text stands in its place between texts', async () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const odd = { type: '_odd', x: 1 };
  const blocks = [text('a'), image, text('b'), odd, text('c')];
  const chunks = blocks.map((content) => ({ sessionUpdate: 'agent_message_chunk', content }));
  expect(messages((await folded('v1', ...chunks)).conversation)[0]?.content).toEqual(blocks);
});

test('10. chunks that repeat what came before are taken as they are', async () => {
  const { conversation } = await folded(
    'v1',
    agentChunk('| a'),
    agentChunk('| a | b'),
    agentChunk('| a | b'),
  );
  expect(outline(conversation)).toEqual(['agent: | a| a | b| a | b']);
});
