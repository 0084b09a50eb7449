import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { askedPlan } from '../../../src/core/conversation/asked-plan.ts';
import { findToolCall, textOf } from '../../../src/core/conversation/select.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { ToolError, toolServer } from '../../../src/entries/tools.ts';
import { memoryStore } from '../../../src/programs/demo/store.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import {
  allowOnce,
  connect,
  connectLibrary,
  cwd,
  dialects,
  newSession,
  promptParams,
  type RawClient,
  v1,
  v2,
} from './raw-client.ts';

async function open(dialect = v1, store = memoryStore()) {
  const client = await connect(dialect, store);
  return { client, sessionId: await newSession(client) };
}

function tags(updates: readonly JsonObject[]): readonly unknown[] {
  const all = updates.map(({ sessionUpdate, state, status, stopReason }) =>
    [sessionUpdate, state, status, stopReason].filter((part) => part !== undefined).join(' '),
  );
  return all.filter((tag, index) => tag !== all[index - 1]);
}

/** What the agent says, whole messages and chunks of them. */
function wordsIn(updates: readonly JsonObject[]): string {
  const blocks = updates.flatMap(({ sessionUpdate, content }) =>
    /^agent_message/.test(String(sessionUpdate)) ? [content].flat() : [],
  );
  return blocks.map((block) => (block as JsonObject | undefined)?.['text'] ?? '').join('');
}

/** Waits until the agent counts. */
const counting = (client: RawClient, sessionId: string) =>
  client.waitFor(() => wordsIn(client.updates(sessionId)).includes('3 🐑'));

const cancelled = (client: RawClient, sessionId: string) =>
  client.waitFor(() => tags(client.updates(sessionId)).includes('state_update idle cancelled'));

describe('a turn of version 1', () => {
  test('tells all there is to tell before its answer', async () => {
    const { client, sessionId } = await open();
    const start = client.received.length;
    const id = client.send('session/prompt', promptParams(sessionId, 'plan'));
    await client.response(id);
    expect(tags(client.updates(sessionId, start))).toEqual([
      'agent_thought_chunk',
      'plan',
      'agent_message_chunk',
      'usage_update',
      'session_info_update',
    ]);
    expect(client.received.at(-1)).toMatchObject({ id });
  });

  test('is cancelled by $/cancel_request, and the next begins', async () => {
    const { client, sessionId } = await open();
    const [slow, held, last] = ['slow', 'held', 'last'].map((word) =>
      client.send('session/prompt', promptParams(sessionId, word)),
    ) as [number, number, number];
    await counting(client, sessionId);
    for (const requestId of [held, slow]) {
      client.notify('$/cancel_request', { requestId });
      expect((await client.response(requestId))['result']).toEqual({ stopReason: 'cancelled' });
    }
    expect((await client.response(last))['result']).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(client.updates(sessionId))).not.toContain('held');
  });

  test('fails with an error', async () => {
    const { client, sessionId } = await open();
    for (const word of ['error', 'fail']) {
      const params = promptParams(sessionId, word);
      expect(await client.refused('session/prompt', params)).toMatchObject({ code: -32603 });
    }
    expect(await v1.prompt(client, sessionId, 'and now?')).toBe('end_turn');
  });
});

describe.each(dialects)('a plan that is a document, in $name', ({ name }) => {
  test('has a file, is approved, and is the same in a replay', async () => {
    const asked: unknown[] = [];
    const store = memoryStore();
    const requestPermission: ClientHandlers['requestPermission'] = ({ toolCall }, { session }) => {
      asked.push(toolCall && askedPlan(session.conversation, toolCall));
      return { outcome: 'selected', optionId: 'once' };
    };
    const open = () => connectLibrary(name, store, { handlers: { requestPermission } });
    const session = await (await open()).newSession({ cwd });
    await session.prompt('document');
    const { plans, entries } = session.conversation;
    expect(plans).toMatchObject([{ type: 'markdown', path: `${cwd}/PLAN.md` }]);
    expect(asked).toEqual(plans);
    expect(JSON.stringify(entries)).toContain('The plan is approved.');
    const replayed = await (await open()).loadSession({ sessionId: session.sessionId, cwd });
    expect(replayed.conversation.plans).toEqual(plans);
  });
});

test('a client of version 1 that does not take plans gets no document', async () => {
  const { client, sessionId } = await open();
  client.answer = allowOnce;
  await v1.prompt(client, sessionId, 'document, plan');
  expect(tags(client.updates(sessionId)).filter((tag) => String(tag).startsWith('plan'))).toEqual(['plan']);
});

describe('a turn of version 2', () => {
  test('begins with the prompt and ends with idle', async () => {
    const { client, sessionId } = await open(v2);
    const start = client.received.length;
    const { messageId } = await client.request('session/prompt', promptParams(sessionId, 'run'));
    await client.waitFor(() => tags(client.updates(sessionId, start)).includes('state_update idle end_turn'));
    expect(tags(client.updates(sessionId, start))).toEqual([
      'user_message',
      'state_update running',
      'agent_thought',
      'agent_thought_chunk',
      'terminal_update',
      'tool_call_update pending',
      'tool_call_update in_progress',
      'terminal_output_chunk',
      'terminal_update',
      'tool_call_update completed',
      'agent_message',
      'agent_message_chunk',
      'usage_update',
      'session_info_update',
      'state_update idle end_turn',
    ]);
    expect(client.updates(sessionId, start)[0]).toMatchObject({ messageId });
  });

  test('is cancelled with those that wait', async () => {
    const { client, sessionId } = await open(v2);
    await client.request('session/prompt', promptParams(sessionId, 'slow'));
    const held = client.send('session/prompt', promptParams(sessionId, 'held'));
    await counting(client, sessionId);
    client.notify('session/cancel', { sessionId });
    expect((await client.response(held))['error']).toMatchObject({ code: -32800 });
    await cancelled(client, sessionId);
    expect(await v2.prompt(client, sessionId, 'and now?')).toBe('end_turn');
    expect(JSON.stringify(client.updates(sessionId))).not.toContain('held');
  });

  test('refuses a prompt with an error, and fails with a state', async () => {
    const { client, sessionId } = await open(v2);
    const start = client.received.length;
    const refusal = await client.refused('session/prompt', promptParams(sessionId, 'error'));
    expect(refusal).toMatchObject({ code: -32603 });
    expect(client.updates(sessionId, start)).toEqual([]);
    expect(await v2.prompt(client, sessionId, 'fail')).toBe('error');
    expect(client.updates(sessionId, start).at(-1)).toMatchObject({ state: 'idle', error: { code: -32603 } });
  });

  test('runs once for each key, also by the next agent', async () => {
    const store = memoryStore();
    const { client, sessionId } = await open(v2, store);
    const keyed = { ...promptParams(sessionId, 'hello'), idempotencyKey: 'key' };
    const first = await client.request('session/prompt', keyed);
    expect(await client.request('session/prompt', keyed)).toEqual(first);
    const other = { ...keyed, idempotencyKey: 'other' };
    expect(await client.request('session/prompt', other)).not.toEqual(first);
    await client.end();
    const later = await connect(v2, store);
    await v2.replay(later, sessionId);
    const start = later.received.length;
    expect(await later.request('session/prompt', keyed)).toEqual(first);
    expect(later.updates(sessionId, start)).toEqual([]);
  });

  test('is replayed in the middle without a gap', async () => {
    const { client, sessionId } = await open(v2);
    const start = client.received.length;
    await client.request('session/prompt', promptParams(sessionId, 'slow'));
    await counting(client, sessionId);
    const middle = client.received.length;
    const before = wordsIn(client.updates(sessionId, start));
    await v2.replay(client, sessionId);
    client.notify('session/cancel', { sessionId });
    await cancelled(client, sessionId);
    const later = client.updates(sessionId, middle);
    expect(later.find(({ state }) => state !== undefined)).toMatchObject({ state: 'running' });
    // Between the two, the turn may have gone on.
    const replay = later.slice(later.findIndex(({ sessionUpdate }) => sessionUpdate === 'user_message'));
    expect(wordsIn(replay).startsWith(before)).toBe(true);
    const counted =
      wordsIn(replay)
        .match(/\d+(?= 🐑)/g)
        ?.map(Number) ?? [];
    expect(counted).toEqual(counted.map((_, index) => index + 1));
  });
});

describe.each(dialects)('a permission in $name', (dialect) => {
  const statusIn = (updates: readonly JsonObject[]) =>
    updates.findLast(({ toolCallId, status }) => toolCallId !== undefined && status !== undefined)?.[
      'status'
    ];

  test.each<readonly [string, JsonObject, string]>([
    ['granted', { outcome: 'selected', optionId: 'once' }, 'completed'],
    ['granted for good', { outcome: 'selected', optionId: 'always' }, 'completed'],
    ['refused', { outcome: 'selected', optionId: 'refused' }, 'failed'],
    ['not given', { outcome: 'cancelled' }, 'failed'],
    ['answered with an option that was not offered', { outcome: 'selected', optionId: 'x' }, 'failed'],
    ['answered with an outcome of the future', { outcome: '_later' }, 'failed'],
  ])('%s', async (_, outcome, status) => {
    const { client, sessionId } = await open(dialect);
    let asked = 0;
    client.answer = () => {
      asked += 1;
      return { outcome };
    };
    expect(await dialect.prompt(client, sessionId, 'edit')).toBe('end_turn');
    const updates = client.updates(sessionId);
    expect(statusIn(updates)).toBe(status);
    expect(JSON.stringify(updates)).toContain('"type":"diff"');
    await dialect.prompt(client, sessionId, 'edit');
    expect(asked).toBe(outcome['optionId'] === 'always' ? 1 : 2);
  });

  test('is withdrawn when the turn is cancelled', async () => {
    const { client, sessionId } = await open(dialect);
    const ended = dialect.prompt(client, sessionId, 'permission');
    const { id = null } = await client.waitFor(({ method }) => method === 'session/request_permission');
    client.notify('session/cancel', { sessionId });
    await client.waitFor(({ method }) => method === '$/cancel_request');
    expect(await ended).toBe('cancelled');
    client.writeLine(JSON.stringify({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'cancelled' } } }));
    expect(statusIn(client.updates(sessionId))).toBe(dialect.protocolVersion === 1 ? 'failed' : 'cancelled');
    expect(await dialect.prompt(client, sessionId, 'and now?')).toBe('end_turn');
  });
});

describe('closing', () => {
  test.each([
    { dialect: v1, answer: { result: { stopReason: 'cancelled' } } },
    { dialect: v2, answer: { error: { code: -32800 } } },
  ])('ends a silence in $dialect.name, which a cancel does not', async ({ dialect, answer }) => {
    const { client, sessionId } = await open(dialect);
    const silent = client.send('session/prompt', promptParams(sessionId, 'hang'));
    client.notify('session/cancel', { sessionId });
    await client.request('session/list', {});
    expect(client.received.some(({ id }) => id === silent)).toBe(false);
    await client.request('session/close', { sessionId });
    expect(await client.response(silent)).toMatchObject(answer);
  });

  test('is answered after the end of the turn, and nothing follows', async () => {
    const { client, sessionId } = await open(v2);
    await client.request('session/prompt', promptParams(sessionId, 'slow'));
    await counting(client, sessionId);
    await client.request('session/close', { sessionId });
    const closed = client.received.length;
    expect(client.updates(sessionId).at(-1)).toMatchObject({ state: 'idle', stopReason: 'cancelled' });
    await client.end();
    expect(client.received.length).toBe(closed);
  });
});

const spoken = ({ conversation }: Session) =>
  conversation.entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role !== 'thought' ? [`${entry.role}: ${textOf(entry)}`] : [],
  );

test.each(dialectNames)('the demo agent takes a message into a turn that counts, in %s', async (dialect) => {
  const store = memoryStore();
  const connection = await connectLibrary(dialect, store);
  const session = await connection.newSession({ cwd });
  const idle = await session.steer('Hello?', { fallback: 'none' });
  expect(idle).toEqual({ outcome: 'notTaken' });
  const turn = session.prompt('Count slowly.');
  await eventually(() => spoken(session).join('')).toContain('3 🐑');
  expect(await session.steer('Are there goats?')).toMatchObject({ outcome: 'injected' });
  await eventually(() => spoken(session).at(-1)).toMatch(/“Are there goats\?”.* \d+ 🐑/);
  expect(spoken(session).filter((line) => line === 'user: Are there goats?')).toHaveLength(1);
  expect(session.conversation).not.toHaveProperty('pendingMessages');
  const next = session.queue('And now?');
  await session.cancel();
  expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  expect(await next).toMatchObject({ stopReason: 'end_turn' });
  const live = spoken(session);
  await connection.close();

  const later = await connectLibrary(dialect, store);
  const loaded = await later.loadSession({ sessionId: session.sessionId, cwd });
  expect(spoken(loaded)).toEqual(live);
});

const words = ({ conversation }: Session) =>
  conversation.entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role === 'agent' ? [textOf(entry)] : [],
  );

/** A server with three tools, and a session of the demo agent that has it. */
async function openDemo(dialect: DialectName) {
  const seen: unknown[] = [];
  const editor = toolServer({
    name: 'editor',
    tools: {
      open_file: {
        description: 'Opens a file.',
        input: v.object({ path: v.string() }),
        run: ({ path }, { session, toolCallId = '' }) => {
          const call = findToolCall(session.conversation, toolCallId);
          seen.push(path, session.sessionId, call?.title);
          return `Opened ${path}.`;
        },
      },
      wait: {
        description: 'Waits until it is cancelled.',
        run: (_, { signal }) => {
          seen.push(signal);
          return new Promise<string>(() => {});
        },
      },
      problems: {
        description: 'The problems of a file.',
        run: () => {
          throw new ToolError('There is no such file.');
        },
      },
    },
  });
  const connection = await connectLibrary(dialect, memoryStore());
  onTestFinished(() => connection.close());
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  return { editor, seen, session };
}

describe.each(dialectNames)('the demo agent in %s', (dialect) => {
  test('calls a tool of the editor, and says what it returned', async () => {
    const { editor, seen, session } = await openDemo(dialect);
    expect(editor.transport).toBe('http');
    await session.prompt('Use the tool open_file {"path": "/a.ts"}');
    expect(seen).toEqual(['/a.ts', session.sessionId, 'open_file']);
    expect(words(session).join('')).toContain('The tool says: “Opened /a.ts.”');
    await session.prompt('Use the tool problems');
    expect(words(session).join('')).toContain('The tool says: “There is no such file.”');
    const calls = session.conversation.entries.filter((entry) => entry.kind === 'toolCall');
    expect(calls.map(({ title, status }) => [title, status])).toEqual([
      ['open_file', 'completed'],
      ['problems', 'failed'],
    ]);
    await session.prompt('tool');
    expect(words(session).join('')).toContain('Name the tool after the word "tool".');
  });

  test('cancels the call with its turn', async () => {
    const { seen, session } = await openDemo(dialect);
    const turn = session.prompt('Use the tool wait');
    await eventually(() => seen.length).toBe(1);
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect(seen[0]).toMatchObject({ aborted: true });
  });
});

test('the demo agent says what is missing if the session has no server over HTTP', async () => {
  const session = await (await connectLibrary('v1')).newSession({ cwd });
  await expect(session.prompt('Use the tool open_file')).rejects.toThrow(
    'The session has no MCP server over HTTP',
  );
});
