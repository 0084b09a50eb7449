import { expect, test } from 'vitest';
import type { ClientHandlers, PermissionOutcome, PermissionRequest } from '../../src/client/handlers.ts';
import type { JsonObject } from '../../src/json.ts';
import { silence } from '../../src/testing/scripted-agent.ts';
import { flush, openSession, outline, toolCalls } from '../support/open-session.ts';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const ask = (toolCallId: string, more: object = {}) =>
  ({ sessionId: 's1', toolCall: { toolCallId, title: `Run ${toolCallId}` }, options, ...more }) as JsonObject;
const cancelled = { outcome: { outcome: 'cancelled' } };
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

/** A user who is asked and answers when the test says so. */
function user() {
  const asked: PermissionRequest[] = [];
  const withdrawn: string[] = [];
  const answers = new Map<string, (outcome: PermissionOutcome) => void>();
  const handlers: ClientHandlers = {
    requestPermission: (request, { signal }) => {
      const id = request.toolCall?.toolCallId ?? '';
      asked.push(request);
      signal.addEventListener('abort', () => withdrawn.push(id));
      return new Promise((resolve) => answers.set(id, resolve));
    },
  };
  return {
    handlers,
    asked,
    withdrawn,
    answer: (id: string, optionId: string) => answers.get(id)?.({ outcome: 'selected', optionId }),
  };
}

async function working() {
  const person = user();
  const opened = await openSession('v1', {
    handlers: person.handlers,
    script: (agent) => agent.on('session/prompt', () => silence),
  });
  const turn = opened.session.prompt('Go');
  const { id } = await opened.agent.called('session/prompt');
  const end = async (stopReason: string) => {
    opened.agent.answer(id as number, { stopReason });
    await turn;
  };
  return {
    ...opened,
    person,
    end,
    ask: (params: JsonObject) => opened.agent.request('session/request_permission', params),
  };
}

test('23. a request about an unknown tool call makes the entry, and stands on it', async () => {
  const { agent, conversation, person, ask: request, end } = await working();
  const asked = request(ask('t1'));
  await flush(agent);
  expect(toolCalls(conversation())).toMatchObject([
    { title: 'Run t1', status: 'pending', permission: { options } },
  ]);
  expect(person.asked[0]?.toolCall).toMatchObject({ toolCallId: 't1', permission: { options } });
  person.answer('t1', 'yes');
  expect((await asked).result).toEqual(selected('yes'));
  expect(toolCalls(conversation())[0]?.permission).toBeNull();
  await end('end_turn');
});

test('24. two tool calls may wait at once; a second request about one takes the first one’s place', async () => {
  const { agent, conversation, person, ask: request, end } = await working();
  const first = request(ask('t1'));
  const other = request(ask('t2'));
  await flush(agent);
  const second = request(ask('t1', { options: [{ optionId: 'sure', name: 'Sure', kind: 'allow_always' }] }));
  expect((await first).result).toEqual(cancelled);
  await flush(agent);
  expect(person.withdrawn).toEqual(['t1']);
  expect(toolCalls(conversation())[0]?.permission?.options).toMatchObject([{ optionId: 'sure' }]);
  person.answer('t1', 'sure');
  person.answer('t2', 'no');
  expect([(await second).result, (await other).result]).toEqual([selected('sure'), selected('no')]);
  await end('end_turn');
});

test('25. a tool call that ends while it waits answers its request cancelled', async () => {
  for (const status of ['completed', 'failed']) {
    const { agent, conversation, person, ask: request, end } = await working();
    const asked = request(ask('t1'));
    await flush(agent);
    agent.update('s1', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status });
    expect((await asked).result).toEqual(cancelled);
    expect(person.withdrawn).toEqual(['t1']);
    expect(toolCalls(conversation())).toMatchObject([{ status, permission: null }]);
    await end('end_turn');
  }
});

test('26. a cancel answers what waits, what was just received, and what comes until the turn ends', async () => {
  const { agent, session, conversation, person, ask: request, end } = await working();
  const waiting = request(ask('t1'));
  await flush(agent);
  const received = request(ask('t2'));
  await session.cancel();
  const late = request(ask('t3'));
  for (const asked of [waiting, received, late]) expect((await asked).result).toEqual(cancelled);
  expect(person.asked.map(({ toolCall }) => toolCall?.toolCallId)).not.toContain('t3');
  expect(toolCalls(conversation()).every(({ permission }) => permission === null)).toBe(true);
  await end('cancelled');
  const next = request(ask('t4'));
  await flush(agent);
  person.answer('t4', 'yes');
  expect((await next).result).toEqual(selected('yes'));
});

test('27. a request that the agent withdraws disappears, and a late click does nothing', async () => {
  const { agent, conversation, person, ask: request, end } = await working();
  const asked = request(ask('t1'));
  await flush(agent);
  agent.notify('$/cancel_request', { requestId: asked.id });
  expect((await asked).result).toEqual(cancelled);
  expect(person.withdrawn).toEqual(['t1']);
  expect(toolCalls(conversation())[0]?.permission).toBeNull();
  person.answer('t1', 'yes');
  await flush(agent);
  expect(agent.received.filter(({ id, method }) => id === asked.id && method === undefined)).toHaveLength(1);
  await end('end_turn');
});

test('27. a question by form and a file that are withdrawn are answered, and their handlers told', async () => {
  const told: string[] = [];
  const until = (what: string, signal: AbortSignal) =>
    new Promise<never>(() => signal.addEventListener('abort', () => told.push(what)));
  const { agent } = await openSession('v1', {
    handlers: {
      readTextFile: (_request, { signal }) => until('file', signal),
      elicit: { form: (_request, { signal }) => until('form', signal) },
    },
  });
  const file = agent.request('fs/read_text_file', { sessionId: 's1', path: '/a' });
  const form = agent.request('elicitation/create', {
    sessionId: 's1',
    mode: 'form',
    message: 'Who?',
    requestedSchema: { type: 'object', properties: {} },
  });
  await flush(agent);
  agent.notify('$/cancel_request', { requestId: file.id });
  agent.notify('$/cancel_request', { requestId: form.id });
  expect((await file).error?.code).toBe(-32800);
  expect((await form).result).toEqual({ action: 'cancel' });
  expect(told.sort()).toEqual(['file', 'form']);
});

test('27. no is an option of the agent’s, and not a cancel', async () => {
  const { agent, person, ask: request, end } = await working();
  const asked = request(ask('t1'));
  await flush(agent);
  person.answer('t1', 'no');
  expect((await asked).result).toEqual(selected('no'));
  await end('end_turn');
});

test('28. odd options are shown as they are: none, ids twice, unknown kinds, a kind more than once', async () => {
  const { agent, person, ask: request, end } = await working();
  const odd = [
    { optionId: 'a', name: 'Always here', kind: 'allow_always' },
    { optionId: 'b', name: 'Always everywhere', kind: 'allow_always' },
    { optionId: 'b', name: 'Twice', kind: 'ask_again' },
  ];
  const strange = request(ask('t1', { options: odd }));
  await flush(agent);
  expect(person.asked[0]?.options).toEqual(odd);
  person.answer('t1', 'b');
  expect((await strange).result).toEqual(selected('b'));
  const none = request(ask('t2', { options: [] }));
  await flush(agent);
  expect(person.asked[1]?.options).toEqual([]);
  person.answer('t2', 'yes');
  expect((await none).result).toEqual(cancelled);
  await end('end_turn');
});

test('28. an option that was not offered is answered cancelled', async () => {
  const { agent, conversation, person, ask: request, end, diagnostics } = await working();
  const asked = request(ask('t1'));
  await flush(agent);
  person.answer('t1', 'allow_once');
  expect((await asked).result).toEqual(cancelled);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(['handler.invalid_answer']);
  expect(outline(conversation())).toEqual(['user: Go', 't1: pending']);
  await end('end_turn');
});
