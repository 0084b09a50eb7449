import { expect, test } from 'vitest';
import { text } from '../../support/agents.ts';
import { flush, messages, openSession, toolCalls } from '../../support/open-session.ts';
import { toolCall } from '../../support/updates.ts';

const blocks = [
  { type: 'image', data: 'AA==', mimeType: 'image/png', uri: 'file:///a.png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource_link', name: 'a', uri: 'file:///a', size: 3 },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a', mimeType: 'text/plain' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'AA==' } },
];

test('[20] v1 updates may contain any block, whatever the prompt capabilities are', async () => {
  const { agent, conversation, diagnostics } = await openSession('v1', {
    initialize: { protocolVersion: 1, agentCapabilities: {} },
  });
  agent.update('s1', ...blocks.map((content) => ({ sessionUpdate: 'agent_message_chunk', content })));
  await flush(agent);
  expect(messages(conversation())[0]?.content).toEqual(blocks);
  expect(diagnostics).toEqual([]);
});

test('[54] v1 blocks other than text keep their order', async () => {
  const { agent, conversation } = await openSession('v1');
  const noted = { ...text('b'), annotations: { audience: ['user'], priority: 1 } };
  const marked = { ...text('d'), _meta: { x: 1 } };
  const chunks = [text('a'), noted, text('c'), text('c'), marked, blocks[0], text('e')];
  agent.update('s1', ...chunks.map((content) => ({ sessionUpdate: 'agent_message_chunk', content })));
  await flush(agent);
  expect(messages(conversation())[0]?.content).toEqual([
    text('a'),
    noted,
    text('cc'),
    marked,
    blocks[0],
    text('e'),
  ]);
});

test('v1 a content block directly in the content of a tool call is read as content', async () => {
  const { agent, conversation } = await openSession('v1');
  agent.update('s1', toolCall('v1', { toolCallId: 't', title: 'T', content: [text('a'), ...blocks] }));
  await flush(agent);
  expect(toolCalls(conversation())[0]?.content).toEqual(
    [text('a'), ...blocks].map((content) => ({ type: 'content', content })),
  );
});
