import { expect, test } from 'vitest';

/** The parts of the agents suite that judge, by their addresses, as it is JavaScript and works on the build. */
const part = (file: string) => import(new URL(`../agents/${file}`, import.meta.url).href);
const { againstSchema } = await part('schema-check.mjs');
const { lostIn } = await part('checks.mjs');
const { replayDifferences } = await part('compare.mjs');
const { runsIn } = await part('traffic.mjs');
const { promptAgain } = await part('scenario/sessions.mjs');
const { answerText } = await part('mock-model/directives.mjs');

const update = (fields: object) => ({
  direction: 'in',
  message: { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update: fields } },
});
const chunk = (said: string, extra: object = {}) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: said },
  ...extra,
});
const initialize = [
  { direction: 'out', message: { id: 0, method: 'initialize', params: { protocolVersion: 1 } } },
  { direction: 'in', message: { id: 0, result: { protocolVersion: 1 } } },
];

test('messages against the schema and unknown fields are found', () => {
  const messages = [
    ...initialize,
    update(chunk('Hello.')),
    update(chunk('Hello.', { mood: 'good', _meta: { mood: 'good' } })),
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 7 }),
  ];
  expect(againstSchema(1, runsIn(messages))).toEqual({
    breaches: ['session/update, tool_call: `/update/title`'],
    extras: ['session/update, agent_message_chunk: `update.mood`'],
  });
  expect(againstSchema(1, runsIn(messages.slice(0, 3)))).toEqual({ breaches: [], extras: [] });
});

const message = (role: string, said: string) => ({
  kind: 'message',
  role,
  content: [{ type: 'text', text: said }],
});
test('the answer to a prompt after a load is looked for behind the prompt', async () => {
  const outcomeAfter = async (...said: readonly object[]) => {
    const entries = [message('user', 'Greet me.'), message('agent', answerText)];
    const session = {
      prompt: async () => void entries.push(message('user', 'Again.'), ...(said as typeof entries)),
      conversation: { entries },
    };
    return (await promptAgain({ session })).outcome;
  };
  expect(await outcomeAfter()).toBe('fault');
  expect(await outcomeAfter(message('agent', 'No.'))).toBe('differs');
  expect(await outcomeAfter(message('agent', answerText))).toBe('works');
});

const toolCall = (status: string) => ({ kind: 'toolCall', toolCallId: 't1', status, content: [] });

test('text and tool call results that the conversation lacks are found', () => {
  const updates = [
    chunk('Hel'),
    chunk('lo.'),
    { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Write', status: 'completed' },
  ];
  const told = ['user', 'agent', 'thought'];
  const entries = [message('agent', 'Hello.'), toolCall('completed')];
  expect(lostIn({ entries }, updates, told)).toEqual([]);
  expect(lostIn({ entries: [message('agent', 'Hel'), toolCall('completed')] }, updates, told)).toHaveLength(
    1,
  );
  expect(lostIn({ entries: [message('agent', 'Hello.'), toolCall('failed')] }, updates, told)).toHaveLength(
    1,
  );
  expect(lostIn({ entries: [message('user', 'Hi.'), ...entries] }, updates, told)).toHaveLength(1);
  expect(lostIn({ entries: [] }, updates, told)).toHaveLength(2);
});

test('differences of a replay are found', () => {
  const lived = {
    entries: [message('user', 'Hi.'), message('agent', 'Hello.'), toolCall('completed')],
    plans: [],
  };
  expect(replayDifferences(lived, lived)).toEqual([]);
  const replayed = { entries: [message('user', 'Hi'), message('user', '.'), toolCall('failed')], plans: [] };
  expect(replayDifferences(lived, replayed)).toEqual([
    'user messages are divided in a different way',
    'no agent messages',
    'completed tool calls as failed',
  ]);
});
