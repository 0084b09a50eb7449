import { expect, test } from 'vitest';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { everything, refuses } from '../../support/agents.ts';
import { connectFlushable, flush, openSession, outline } from '../../support/open-session.ts';

const full = everything['v2-baseline'];

test('[43] v2 a cancelled request is answered once, and $/cancel_request for another id is ignored', async () => {
  const { agent, diagnostics } = await connectFlushable(full, {
    handlers: {
      extensions: {
        _wait: (_params, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      },
    },
  });
  const asked = agent.request('_wait', {});
  await flush(agent);
  for (const requestId of [asked.id, asked.id, 999, null]) agent.notify('$/cancel_request', { requestId });
  expect((await asked).error?.code).toBe(-32800);
  agent.notify('$/cancel_request', { requestId: asked.id });
  await flush(agent);
  expect(agent.received.filter(({ id, method }) => id === asked.id && method === undefined)).toHaveLength(1);
  expect(diagnostics).toEqual([]);
});

test('[44] v2 a request with the id null is refused', async () => {
  const { agent, diagnostics } = await connectFlushable(full, { handlers: { extensions: { _x: () => 1 } } });
  agent.channel.send({ jsonrpc: '2.0', id: null, method: '_x', params: {} });
  await flush(agent);
  expect(agent.received.filter(({ id }) => id === null)).toMatchObject([{ error: { code: -32600 } }]);
  expect(diagnostics).toMatchObject([{ rule: 'rpc.null_id' }]);
});

test('[44] v2 an answer has the id of the request unchanged, and ids of the client are unique and not null', async () => {
  const { agent, connection } = await connectFlushable(full, {
    handlers: { extensions: { _echo: (params) => params } },
    answers: { 'session/list': noAnswer },
  });
  const ids = [-1, '0', '', 'a b'];
  agent.channel.send(...ids.map((id) => ({ jsonrpc: '2.0', id, method: '_echo', params: { id } })));
  for (let n = 0; n < 10; n++)
    connection
      .listSessions()
      .page()
      .catch(() => {});
  await agent.called('session/list', 10);
  await flush(agent);
  const answered = agent.received.filter(({ result }) => typeof result === 'object' && result !== null);
  // Answers have no order.
  expect(answered).toHaveLength(ids.length);
  expect(new Set(answered.map(({ id }) => id))).toEqual(new Set(ids));
  const ours = agent.received.filter(({ method }) => method !== undefined).map(({ id }) => id);
  expect(ours).not.toContain(null);
  expect(new Set(ours).size).toBe(ours.length);
});

test('v2 a prompt that is cancelled before it is accepted is removed from the conversation', async () => {
  const { session, conversation } = await openSession('v2-baseline', {
    answers: { 'session/prompt': refuses(-32800, 'Request cancelled') },
  });
  await expect(session.prompt('Go')).rejects.toMatchObject({ code: 'remote.cancelled' });
  expect(outline(conversation())).toEqual([]);
});
