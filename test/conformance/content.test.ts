import { describe, expect, test } from 'vitest';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import { text } from '../support/agents.ts';
import { deliver, flush, messages, openSession, sent, toolCalls } from '../support/open-session.ts';
import { toolCall } from '../support/updates.ts';

const link = { type: 'resource_link', name: 'a', uri: 'file:///a', size: 3 } as const;
const blocks = [
  { type: 'image', data: 'AA==', mimeType: 'image/png', uri: 'file:///a.png' },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  link,
  { type: 'resource', resource: { uri: 'file:///a', text: 'a', mimeType: 'text/plain' } },
  { type: 'resource', resource: { uri: 'file:///b', blob: 'AA==' } },
] as const;

const chunk = (content: unknown) => ({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content });

describe.each([
  ['v1', { protocolVersion: 1, agentCapabilities: {} }],
  ['v2-baseline', { protocolVersion: 2, info: { name: 'x', version: '1' }, capabilities: { session: {} } }],
] as const)('in %s', (dialect, initialize) => {
  test('[20] v1, v2 text and links need no capability, other blocks theirs', async () => {
    const answers = { 'session/prompt': noAnswer } as const;
    const poor = await openSession(dialect, { initialize, answers });
    poor.session.prompt([text('See'), link]).catch(() => {});
    const rich = await openSession(dialect, { answers });
    rich.session.prompt([text('See'), ...blocks]).catch(() => {});
    for (const { agent } of [poor, rich]) await flush(agent);
    expect(sent(poor.agent)).toMatchObject([{ params: { sessionId: 's1', prompt: [text('See'), link] } }]);
    expect(sent(rich.agent)).toMatchObject([
      { params: { sessionId: 's1', prompt: [text('See'), ...blocks] } },
    ]);
  });

  test('[20] v1, v2 updates may contain any block, whatever the prompt capabilities are', async () => {
    const { agent, conversation, diagnostics } = await openSession(dialect, { initialize });
    const all = [...blocks, { type: '_hologram', depth: 3 }];
    await deliver(agent, ...all.map(chunk));
    expect(messages(conversation())[0]?.content).toEqual(all);
    expect(diagnostics).toEqual([]);
  });
});

test('[54] v1 blocks other than text keep their order', async () => {
  const { agent, conversation } = await openSession('v1');
  const noted = { ...text('b'), annotations: { audience: ['user'], priority: 1 } };
  const marked = { ...text('d'), _meta: { x: 1 } };
  const chunks = [text('a'), noted, text('c'), text('c'), marked, blocks[0], text('e')];
  await deliver(agent, ...chunks.map(chunk));
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
  await deliver(agent, toolCall('v1', { toolCallId: 't', title: 'T', content: [text('a'), ...blocks] }));
  expect(toolCalls(conversation())[0]?.content).toEqual(
    [text('a'), ...blocks].map((content) => ({ type: 'content', content })),
  );
});
