import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './docs/pages.ts';

/** The parts of the agents suite that judge, by their addresses, as it is JavaScript and works on the build. */
const part = (file: string) => import(new URL(`../agents/${file}`, import.meta.url).href);
const { againstSchema } = await part('schema-check.mjs');
const { lostIn, replayDifferences } = await part('checks.mjs');
const { runsIn } = await part('traffic.mjs');
const { promptAgain } = await part('scenario/sessions.mjs');
const { answerText } = await part('mock-model/directives.mjs');
const { pageDifferences } = await part('result-tables.mjs');
const { withKnownVariation } = await part('catalog.mjs');

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
  const lost = (...entries: readonly object[]) => lostIn({ entries }, updates, told);
  const hello = message('agent', 'Hello.');
  expect(lost(hello, toolCall('completed'))).toEqual([]);
  expect(lost(message('agent', 'Hel'), toolCall('completed'))).toHaveLength(1);
  expect(lost(hello, toolCall('failed'))).toHaveLength(1);
  expect(lost(message('user', 'Hi.'), hello, toolCall('completed'))).toHaveLength(1);
  expect(lost()).toHaveLength(2);
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

const page = ['docs/agent-results.md', 'test/agents/results.md']
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('');

/** Changes the cell of a table: of the row that begins with `row`, in the column with this head. */
function withCell(row: string, column: string, cell: string): string {
  const lines = page.split('\n');
  const heads = lines.find((line) => line.startsWith('| ') && line.includes(`| ${column} |`)) ?? '';
  const index = heads.split(' | ').findIndex((head) => head.replace(' |', '') === column);
  return lines
    .map((line) => (line.startsWith(`| ${row} |`) ? line.split(' | ').with(index, cell).join(' | ') : line))
    .join('\n');
}

test('a run that gives the same page has no differences, an agent that is not on it has one', () => {
  expect(pageDifferences(page, page, ['sdk', 'opencode'])).toEqual([]);
  expect(pageDifferences(page, page, ['another'])).toEqual(['another is not on the page']);
});

test('a cell that differs is a difference, in the columns of the agents that were run only', () => {
  const changed = withCell('thoughts', 'sdk v2', 'no');
  expect(pageDifferences(page, changed, ['sdk'])).toEqual([
    'sdk v2: thoughts: the page has "yes", the run gives "no"',
  ]);
  expect(pageDifferences(page, changed, ['opencode'])).toEqual([]);
  expect(pageDifferences(page, withCell('a wrong token', 'qwen, HTTP', 'no'), ['qwen'])).toEqual([
    'qwen, HTTP: a wrong token: the page has "yes", the run gives "no"',
  ]);
});

test('a line that differs in the section of an agent is a difference', () => {
  const line = '- a file written: asks; done by the client.';
  const start = page.indexOf('\n### opencode\n');
  const changed =
    page.slice(0, start) + page.slice(start).replace(line, '- a file written: asks; done by the agent.');
  expect(pageDifferences(page, changed, ['opencode'])).toEqual([
    `opencode: the page has: ${line}`,
    'opencode: the run gives: - a file written: asks; done by the agent.',
  ]);
  expect(pageDifferences(page, changed, ['sdk'])).toEqual([]);
});

test('a habit that appears or disappears is a difference', () => {
  expect(pageDifferences(page, withCell('`no-message-ids`', 'sdk v1', ''), ['sdk'])).toEqual([
    'sdk v1: `no-message-ids`: the page has "yes", the run gives ""',
  ]);
  expect(pageDifferences(page, withCell('`no-message-ids`', 'sdk v2', 'yes'), ['sdk'])).toEqual([
    'sdk v2: `no-message-ids`: the page has "", the run gives "yes"',
  ]);
});

test('a known variation of an outcome or a habit gives the same report on each run, and another outcome stays', () => {
  const agent = {
    varies: [
      { version: 2, step: 'delete', outcomes: ['works', 'differs'], reason: 'a file is written again' },
      { version: 2, habit: 'late-tool-call', reason: 'a race' },
    ],
  };
  const reportOf = (outcome: string, habits: readonly string[]) => ({
    runs: { 2: { steps: { delete: { outcome, note: '' } }, habits } },
  });
  const first = withKnownVariation(agent, reportOf('works', ['late-tool-call', 'ids-overlap']));
  expect(first).toEqual(withKnownVariation(agent, reportOf('differs', ['ids-overlap'])));
  expect(first.runs[2]?.steps['delete']).toEqual({ outcome: 'varies', note: 'a file is written again' });
  expect(first.runs[2]?.habits).toEqual(['ids-overlap']);
  const other = withKnownVariation(agent, reportOf('refuses', []));
  expect(other.runs[2]?.steps['delete']?.outcome).toBe('refuses');
});
