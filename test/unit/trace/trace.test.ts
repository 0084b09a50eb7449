import { expect, test } from 'vitest';
import { redact } from '../../../src/core/trace/redact.ts';
import { shorten } from '../../../src/core/trace/shorten.ts';
import type { Trace } from '../../../src/core/trace/trace.ts';
import type { TrafficRecord } from '../../../src/core/trace/traffic.ts';
import { connectTo, everything, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { expectGolden } from '../../support/golden-sections.ts';
import { openSession } from '../../support/open-session.ts';

const cwd = '/project';

function traced(options: Omit<Trace, 'write'> = {}): { trace: Trace; records: TrafficRecord[] } {
  const records: TrafficRecord[] = [];
  return { records, trace: { ...options, write: (record) => records.push(record) } };
}

test('every message is recorded in the order of the wire, from the first', async () => {
  const { trace, records } = traced();
  const { agent, session } = await openSession('v1', {
    script: (agent) =>
      agent.on('session/prompt', (_, scripted) => {
        const content = text('Hello.');
        scripted.update('s1', { sessionUpdate: 'agent_message_chunk', content });
        return { stopReason: 'end_turn' };
      }),
    connect: { trace },
  });
  await session.prompt('Hi.');
  expect(records.filter(({ dir }) => dir === 'out').map(({ msg }) => msg)).toEqual(agent.received);
  expect(
    records.map(({ dir, msg }) => {
      const { method } = msg as { method?: string };
      return `${dir} ${method ?? 'answer'}`;
    }),
  ).toEqual([
    'out initialize',
    'in answer',
    'out session/new',
    'in answer',
    'out session/prompt',
    'in session/update',
    'in answer',
  ]);
  expect(records.every(({ t }) => Number.isInteger(t) && t >= 0)).toBe(true);
});

test('a message is recorded before it is handled', async () => {
  const seen: (number | undefined)[] = [];
  let entries: (() => number) | undefined;
  const { agent, session } = await openSession('v1', {
    connect: {
      trace: {
        write: ({ msg }) => {
          if ((msg as { method?: string }).method === 'session/update') seen.push(entries?.());
        },
      },
    },
  });
  entries = () => session.conversation.entries.length;
  agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Hello.') });
  await eventually(entries).toBe(1);
  expect(seen).toEqual([0]);
});

const mcpServers = [
  {
    type: 'http' as const,
    name: 'b',
    url: 'https://b',
    headers: [{ name: 'Authorization', value: 'hunter2' }],
  },
];

test.each([
  ['not recorded', undefined, false],
  ['recorded with the option for all values', (message: unknown) => message, true],
])('secrets are sent, and are %s', async (_, redact, areRecorded) => {
  const { trace, records } = traced({ redact });
  const { agent, connection } = await connectTo(everything.v1, {
    trace,
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await connection.newSession({ cwd, mcpServers });
  expect(JSON.stringify(records).includes('hunter2')).toBe(areRecorded);
  expect(JSON.stringify(records)).toContain('Authorization');
  expect(JSON.stringify(agent.received)).toContain('hunter2');
});

const long = 'a'.repeat(70_000);

test('of a long text the beginning is recorded, and the conversation has it whole', async () => {
  const { trace, records } = traced();
  const { agent, session } = await openSession('v1', { connect: { trace } });
  agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text(long) });
  await eventually(() => session.conversation.entries.length).toBe(1);
  expect(session.conversation.entries[0]).toMatchObject({ content: [text(long)] });
  expect(records.at(-1)?.msg).toMatchObject({
    params: {
      update: {
        content: { text: `${'a'.repeat(1024)}… [68976 more characters were left out of this trace]` },
      },
    },
  });
});

test('a trace that fails is a diagnostic, and disturbs nothing', async () => {
  const { connection, diagnostics } = await connectTo(everything.v1, {
    trace: {
      write: () => {
        throw new Error('disk full');
      },
    },
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await connection.newSession({ cwd });
  expect(diagnostics[0]).toEqual({
    rule: 'subscriber.failed',
    severity: 'error',
    message: 'The trace failed: disk full.',
  });
});

/** What is made of a message. What has not changed is the very same. */
function changed<T>(message: T, make: (message: T) => unknown): unknown {
  const before = JSON.stringify(message);
  const made = make(message);
  expect(JSON.stringify(message)).toBe(before);
  if (made === message) return 'as it was';
  expect(JSON.stringify(made)).not.toBe(before);
  return [made];
}

test('what a trace shows of messages is what the golden file says', () =>
  expectGolden(new URL('golden/messages.txt', import.meta.url), {
    'what a trace shows of a message': (message: object, options?: { readonly fields: string[] }) =>
      changed(message, (each) => redact(each, options)),
    'what goes from the parameters of calls, results, errors and updates': (params: object) =>
      redact([
        { id: 1, method: 'session/new', params },
        { id: 1, method: 'session/request_permission', params },
        { id: 1, result: { received: [params] } },
        { id: 1, error: { code: -32000, message: 'no', data: { received: params } } },
        { method: 'session/update', params: { ...params, update: {} } },
      ]),
    'a message with texts of at most 10 characters': (message: object) =>
      changed(message, (each) => shorten(each, 10)),
    'a message with texts of any length': (message: object) =>
      changed(message, (each) => shorten(each, Number.POSITIVE_INFINITY)),
  }));
