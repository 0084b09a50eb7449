import { expect, test } from 'vitest';
import { text } from '../../support/agents.ts';
import { flush, messages, openSession, sent } from '../../support/open-session.ts';

const blocks = [
  { type: 'image', data: 'AA==', mimeType: 'image/png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource_link', name: 'a', uri: 'file:///a' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'AA==' } },
  { type: '_hologram', depth: 3 },
] as const;

test('[20] v2 text and links need no capability, other blocks theirs', async () => {
  const script = (agent: { on: (method: string, answer: object) => unknown }) =>
    agent.on('session/prompt', { messageId: 'u1' });
  const free = [text('See'), blocks[2]];
  const poor = await openSession('v2-baseline', {
    initialize: { protocolVersion: 2, info: { name: 'x', version: '1' }, capabilities: { session: {} } },
    script: script as never,
  });
  await poor.session.prompt(free).accepted;
  const rich = await openSession('v2-baseline', { script: script as never });
  await rich.session.prompt([text('See'), ...blocks]).accepted;
  expect(sent(poor.agent)).toMatchObject([{ params: { sessionId: 's1', prompt: free } }]);
  expect(sent(rich.agent)).toMatchObject([{ params: { sessionId: 's1', prompt: [text('See'), ...blocks] } }]);
});

test('[20] v2 updates may contain any block, whatever the prompt capabilities are', async () => {
  const { agent, conversation, diagnostics } = await openSession('v2-baseline', {
    initialize: { protocolVersion: 2, info: { name: 'x', version: '1' }, capabilities: { session: {} } },
  });
  agent.update('s1', { sessionUpdate: 'agent_message', messageId: 'm', content: blocks });
  await flush(agent);
  expect(messages(conversation())[0]?.content).toEqual(blocks);
  expect(diagnostics).toEqual([]);
});
