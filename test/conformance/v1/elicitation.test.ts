import { expect, test } from 'vitest';
import type { ClientHandlers, ElicitationAnswer } from '../../../src/client/handlers.ts';
import type { JsonObject } from '../../../src/json.ts';
import { silence } from '../../../src/testing/scripted-agent.ts';
import { connectFlushable, cwd, flush, openSession } from '../../support/open-session.ts';

const schema = {
  type: 'object',
  properties: { name: { type: 'string', default: 'x' }, odd: { type: '_colour' } },
};
const form = (more: object = {}) =>
  ({
    sessionId: 's1',
    mode: 'form',
    message: 'Who are you?',
    requestedSchema: schema,
    ...more,
  }) as JsonObject;
const url = (elicitationId: string, more: object = {}) =>
  ({
    sessionId: 's1',
    mode: 'url',
    message: 'Sign in',
    elicitationId,
    url: 'https://example.com/login?state=1#x',
    ...more,
  }) as JsonObject;

const open = (elicit: ClientHandlers['elicit']) =>
  openSession('v1', { handlers: { elicit } as ClientHandlers });

test('[41] v1 a question without a handler is answered -32601', async () => {
  const { agent } = await openSession('v1');
  const { error } = await agent.request('elicitation/create', form());
  expect(error?.code).toBe(-32601);
});

test('[41] v1 a mode that was not advertised is answered -32602', async () => {
  const onlyForm = await open({ form: () => ({ action: 'decline' }) });
  expect((await onlyForm.agent.request('elicitation/create', url('e1'))).error?.code).toBe(-32602);
  const onlyUrl = await open({ url: () => ({ action: 'decline' }) });
  expect((await onlyUrl.agent.request('elicitation/create', form())).error?.code).toBe(-32602);
});

test.each(['_hologram', 'voice', 'constructor', undefined, 7])(
  '[41] v1 the unknown mode %j is answered -32602 and shown to nobody',
  async (mode) => {
    const { agent } = await open({ form: () => expect.unreachable(), url: () => expect.unreachable() });
    const { error } = await agent.request('elicitation/create', {
      ...form(),
      ...url('e1'),
      mode: mode as never,
    });
    expect(error?.code).toBe(-32602);
  },
);

test('[41] v1 a form is handed over whole, and what the user gives goes back', async () => {
  const { agent, connection } = await open({
    form: (request, { session }) => {
      expect(request).toEqual({
        message: 'Who are you?',
        toolCallId: 't1',
        requestId: null,
        requestedSchema: schema,
      });
      expect(session).toBe(connection.sessions[0]);
      return { action: 'accept', content: { name: 'Ada', odd: ['r', 'g'] } };
    },
  });
  const { result } = await agent.request('elicitation/create', form({ toolCallId: 't1' }));
  expect(result).toEqual({ action: 'accept', content: { name: 'Ada', odd: ['r', 'g'] } });
});

test('[41] v1 a URL is handed over whole, with its id', async () => {
  const { agent } = await open({
    url: (request) => {
      expect(request).toMatchObject({ url: 'https://example.com/login?state=1#x', elicitationId: 'e1' });
      return { action: 'accept' };
    },
  });
  const { result } = await agent.request('elicitation/create', url('e1'));
  expect(result).toEqual({ action: 'accept' });
});

test.each(['decline', 'cancel'] as const)('[41] v1 the user may %s', async (action) => {
  const { agent } = await open({ form: () => ({ action }) });
  expect((await agent.request('elicitation/create', form())).result).toEqual({ action });
});

test('[41] v1 an answer that is none is cancel, with a diagnostic', async () => {
  for (const answer of [undefined, null, 'yes', { action: 'maybe' }, {}]) {
    const { agent, diagnostics } = await open({ form: () => answer as unknown as ElicitationAnswer });
    expect((await agent.request('elicitation/create', form())).result).toEqual({ action: 'cancel' });
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['handler.invalid_answer']);
  }
});

test('[41] v1 only what was accepted is sent along', async () => {
  const { agent } = await open({
    form: () => ({ action: 'decline', content: { secret: 1 } }) as ElicitationAnswer,
  });
  expect((await agent.request('elicitation/create', form())).result).toEqual({ action: 'decline' });
});

test('[41] v1 completions that are unknown, or come again, are passed over', async () => {
  const completed: string[] = [];
  const { agent } = await open({
    url: ({ elicitationId }) => ({ action: elicitationId === 'declined' ? 'decline' : 'accept' }),
    completed: (id) => {
      completed.push(id);
    },
  });
  await agent.request('elicitation/create', url('known'));
  await agent.request('elicitation/create', url('declined'));
  for (const id of ['unknown', 'known', 'known', 'declined', '__proto__']) {
    agent.notify('elicitation/complete', { elicitationId: id });
  }
  agent.notify('elicitation/complete', {});
  await flush(agent);
  expect(completed).toEqual(['known']);
});

test('[41] v1 a completion may come while the question is still open', async () => {
  const completed: string[] = [];
  const { agent } = await open({
    url: (_request, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ action: 'cancel' }))),
    completed: (id) => {
      completed.push(id);
    },
  });
  const asked = agent.request('elicitation/create', url('e1'));
  await flush(agent);
  agent.notify('elicitation/complete', { elicitationId: 'e1' });
  await flush(agent);
  expect(completed).toEqual(['e1']);
  agent.notify('$/cancel_request', { requestId: asked.id });
  await asked;
});

test('[41] v1 a question may belong to a request of ours, before there is a session', async () => {
  const { agent, connection } = await connectFlushable(
    { protocolVersion: 1, agentCapabilities: {} },
    {
      handlers: {
        elicit: {
          form: ({ requestId }, { session }) => {
            expect(session).toBeUndefined();
            return { action: 'accept', content: { id: String(requestId) } };
          },
        },
      },
      script: (agent) =>
        agent.on('session/new', async (_params, agent, id) => {
          const { requestedSchema, message, mode } = form();
          const params = { requestId: id, requestedSchema, message, mode } as JsonObject;
          const { result } = await agent.request('elicitation/create', params);
          expect(result).toEqual({ action: 'accept', content: { id: String(id) } });
          return { sessionId: 's1' };
        }),
    },
  );
  await connection.newSession({ cwd });
  expect(agent.calls('session/new')).toHaveLength(1);
});

test('[38,41] v1 a cancel calls off open questions', async () => {
  const { agent, session } = await openSession('v1', {
    handlers: { elicit: { form: () => new Promise(() => {}) } },
    script: (agent) => agent.on('session/prompt', () => silence),
  });
  const turn = session.prompt('Go');
  const { id } = await agent.called('session/prompt');
  const asked = agent.request('elicitation/create', form());
  await flush(agent);
  await session.cancel();
  expect((await asked).result).toEqual({ action: 'cancel' });
  expect((await agent.request('elicitation/create', form())).result).toEqual({ action: 'cancel' });
  agent.answer(id as number, { stopReason: 'cancelled' });
  await turn;
});
