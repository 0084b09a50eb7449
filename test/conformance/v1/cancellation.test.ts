import { expect, test } from 'vitest';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything, refuses, settle, text } from '../../support/agents.ts';
import { connectFlushable, flush, openSession, sentSinceInitialize } from '../../support/open-session.ts';
import { says } from '../../support/updates.ts';

const read = { sessionId: 's1', path: '/a' };

/** The responses that the client gave to this request. */
function responsesTo(
  agent: { received: readonly { id?: string | number; method?: string }[] },
  id: string | number,
) {
  return agent.received.filter((message) => message.method === undefined && message.id === id);
}

test('[43] v1 a request that the agent cancels is answered once with -32800, and the signal of its handler is aborted', async () => {
  let signal: AbortSignal | undefined;
  const { agent } = await openSession('v1', {
    handlers: {
      readTextFile: (_request, context) => {
        signal = context.signal;
        return new Promise((resolve) =>
          context.signal.addEventListener('abort', () => resolve({ content: 'too late' })),
        );
      },
    },
  });
  const asked = agent.request('fs/read_text_file', read);
  await flush(agent);
  agent.notify('$/cancel_request', { requestId: asked.id });
  expect((await asked).error?.code).toBe(-32800);
  expect(signal?.aborted).toBe(true);
  await flush(agent);
  expect(responsesTo(agent, asked.id)).toHaveLength(1);
});

test('[43] v1 $/cancel_request for an answered, unknown or malformed id is ignored', async () => {
  const { agent, diagnostics } = await openSession('v1', {
    handlers: { readTextFile: () => ({ content: 'a' }) },
  });
  const asked = agent.request('fs/read_text_file', read);
  expect((await asked).result).toEqual({ content: 'a' });
  for (const requestId of [asked.id, 999, 'x', null, {}]) agent.notify('$/cancel_request', { requestId });
  agent.notify('$/cancel_request');
  await flush(agent);
  expect(responsesTo(agent, asked.id)).toHaveLength(1);
  expect(diagnostics).toEqual([]);
});

test('[43] v1 $/cancel_request distinguishes the ids 7 and "7"', async () => {
  const { agent } = await openSession('v1', {
    handlers: {
      extensions: {
        _wait: (_params, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      },
    },
  });
  agent.channel.send(
    { jsonrpc: '2.0', id: '7', method: '_wait', params: {} },
    { jsonrpc: '2.0', id: 7, method: '_wait', params: {} },
    { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: '7' } },
  );
  await flush(agent);
  expect(responsesTo(agent, '7')).toMatchObject([{ error: { code: -32800 } }]);
  expect(responsesTo(agent, 7)).toEqual([]);
});

test('[44] v1 an answer has the id of the request unchanged', async () => {
  const { agent } = await connectFlushable(everything.v1, {
    handlers: { extensions: { _echo: (params) => params } },
  });
  const ids = [-1, 1.5, 9007199254740991, '', '0', '6c9e1f0a-uuid', '\u00e4'];
  agent.channel.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: '_echo', params: { id } })));
  await flush(agent);
  const answered = agent.received.filter(({ result }) => typeof result === 'object' && result !== null);
  // Answers have no order.
  expect(answered).toHaveLength(ids.length);
  expect(new Map(answered.map(({ id, result }) => [id, (result as { id: unknown }).id]))).toEqual(
    new Map(ids.map((id) => [id, id])),
  );
});

test('[44] v1 ids of the client are numbers or strings, and each is used once', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/list': noAnswer },
  });
  const calls = Array.from({ length: 20 }, () => connection.listSessions().page());
  for (const call of calls) call.catch(() => {});
  await agent.called('session/list', 20);
  const ids = agent.received.map(({ id }) => id);
  expect(ids.every((id) => typeof id === 'number' || typeof id === 'string')).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test('v1 aborting a call sends $/cancel_request and rejects with the reason', async () => {
  const { agent, connection } = await connectFlushable(everything.v1, {
    answers: { 'session/list': noAnswer },
  });
  const control = new AbortController();
  const reason = new Error('The user closed the panel.');
  const call = connection.listSessions({}, { signal: control.signal }).page();
  const { id } = await agent.called('session/list');
  control.abort(reason);
  await expect(call).rejects.toBe(reason);
  await agent.called('$/cancel_request');
  expect(sentSinceInitialize(agent).at(-1)).toMatchObject({
    method: '$/cancel_request',
    params: { requestId: id },
  });
});

test('v1 aborting a prompt cancels the turn, and later updates are folded', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    answers: { 'session/prompt': noAnswer },
  });
  const control = new AbortController();
  const turn = session.prompt('Go', { signal: control.signal });
  const { id } = await agent.called('session/prompt');
  control.abort('enough');
  await expect(turn).rejects.toBe('enough');
  await agent.called('session/cancel');
  expect(conversation().activity.state).toBe('running');
  agent.update('s1', says('Stopped.'));
  agent.answer(id as number, { stopReason: 'cancelled' });
  await flush(agent);
  await settle();
  expect(conversation().activity).toMatchObject({ state: 'idle', stopReason: 'cancelled' });
  expect(conversation().entries.at(-1)).toMatchObject({ content: [text('Stopped.')] });
});

test('v1 error -32800 from the agent is a CancelledError', async () => {
  const { connection } = await connectTo(everything.v1, {
    answers: { 'session/list': refuses(-32800, 'Request cancelled') },
  });
  await expect(connection.listSessions().page()).rejects.toMatchObject({ code: 'remote.cancelled' });
});
