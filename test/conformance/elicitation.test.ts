import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ClientHandlers, ElicitationAnswer } from '../../src/core/client/requests/handlers.ts';
import { everything } from '../support/agents.ts';
import { connectFlushable, cwd, flush, openSession } from '../support/open-session.ts';
import { endTurn, working } from '../support/updates.ts';

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

const strict = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 3 },
    colour: { type: 'string', enum: ['red', 'green'] },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    share: { type: 'number', maximum: 1 },
    agreed: { type: 'boolean' },
    days: { type: 'array', minItems: 1, items: { type: 'string', enum: ['mon', 'tue'] } },
    tags: { type: 'array', maxItems: 1, items: { anyOf: [{ const: 'a', title: 'A' }] } },
    shade: { type: '_colour' },
  },
  required: ['name', 'toString'],
};
const right = { name: 'Ada', toString: 'x' };

describe.each(['v1', 'v2-baseline'] as const)('%s', (dialect) => {
  const open = (elicit: ClientHandlers['elicit']) =>
    openSession(dialect, { handlers: { elicit } as ClientHandlers });
  /** Notes which elicitations were completed. */
  const completing = async (url: NonNullable<ClientHandlers['elicit']>['url']) => {
    const completed: string[] = [];
    const { agent } = await open({
      url,
      completed: (id) => void completed.push(id),
    } as ClientHandlers['elicit']);
    return { agent, completed };
  };

  test('[41] v1, v2 elicitation in a mode that was not advertised is answered -32602', async () => {
    const onlyForm = await open({ form: () => ({ action: 'decline' }) });
    expect((await onlyForm.agent.request('elicitation/create', url('e1'))).error?.code).toBe(-32602);
    const onlyUrl = await open({ url: () => ({ action: 'decline' }) });
    expect((await onlyUrl.agent.request('elicitation/create', form())).error?.code).toBe(-32602);
  });

  test.each(['_hologram', 'voice', 'constructor', undefined, 7])(
    '[41] v1, v2 elicitation in the unknown mode %j is answered -32602 and calls no handler',
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

  test('[41] v1, v2 the form handler gets the whole form, and its content is sent', async () => {
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

  test.each<[string, object | undefined, string]>([
    ['nothing at all', undefined, 'name is missing'],
    ['without a required field', { name: 'Ada' }, 'toString is missing'],
    ['with a number for a text', { ...right, name: 7 }, 'name must be a text'],
    ['with too little text', { ...right, name: '😀' }, 'name must be at least 2 characters long'],
    ['with too much text', { ...right, name: 'Augusta' }, 'name must be at most 3 characters long'],
    ['with another choice', { ...right, colour: 'blue' }, 'colour must be one of "red", "green"'],
    ['with the title of a choice', { ...right, size: 'Small' }, 'size must be one of "s"'],
    ['with half a year', { ...right, age: 36.5 }, 'age must be a whole number'],
    ['with too low a number', { ...right, age: -1 }, 'age must be at least 0'],
    ['with too high a number', { ...right, share: 1.5 }, 'share must be at most 1'],
    ['with a text for a number', { ...right, share: '1' }, 'share must be a number'],
    ['with a text for a yes', { ...right, agreed: 'true' }, 'agreed must be true or false'],
    ['with one item for a list', { ...right, days: 'mon' }, 'days must be a list of texts'],
    ['with an empty list', { ...right, days: [] }, 'days must be at least 1 items long'],
    ['with another item', { ...right, days: ['mon', 'sun'] }, 'days must be one of "mon", "tue"'],
    ['with too many items', { ...right, tags: ['a', 'a'] }, 'tags must be at most 1 items long'],
  ])('[41] v1, v2 a form accepted %s is answered as cancel, with a diagnostic', async (_, content, says) => {
    const answer = { action: 'accept', ...(content && { content }) } as ElicitationAnswer;
    const { agent, diagnostics } = await open({ form: () => answer });
    const asked = await agent.request('elicitation/create', form({ requestedSchema: strict }));
    expect(asked.result).toEqual({ action: 'cancel' });
    expect(diagnostics).toMatchObject([{ rule: 'handler.invalid_answer' }]);
    expect(diagnostics[0]?.message).toContain(says);
    for (const said of ['Augusta', 'blue', 'sun']) expect(diagnostics[0]?.message).not.toContain(said);
  });

  test('[41] v1, v2 valid content of a form is sent whole', async () => {
    const content = {
      ...right,
      name: '😀😀😀',
      colour: 'green',
      size: 's',
      age: 0,
      share: 0.5,
      agreed: false,
      days: ['tue', 'mon'],
      tags: [],
      shade: 'any',
      beside: 'what was not asked for',
    };
    const { agent, diagnostics } = await open({ form: () => ({ action: 'accept', content }) });
    const asked = await agent.request('elicitation/create', form({ requestedSchema: strict }));
    expect(asked.result).toEqual({ action: 'accept', content });
    expect(diagnostics).toEqual([]);
  });

  test('[41] v1, v2 the URL handler gets the whole URL and the id', async () => {
    const { agent } = await open({
      url: (request) => {
        expect(request).toMatchObject({ url: 'https://example.com/login?state=1#x', elicitationId: 'e1' });
        return { action: 'accept' };
      },
    });
    const { result } = await agent.request('elicitation/create', url('e1'));
    expect(result).toEqual({ action: 'accept' });
  });

  test.each(['decline', 'cancel'] as const)(
    '[41] v1, v2 a handler may %s, and content is sent only with accept',
    async (action) => {
      const { agent } = await open({ form: () => ({ action, content: { secret: 1 } }) as ElicitationAnswer });
      expect((await agent.request('elicitation/create', form())).result).toEqual({ action });
    },
  );

  test('[41] v1, v2 an invalid result is answered as cancel, with a diagnostic', async () => {
    for (const answer of [undefined, null, 'yes', { action: 'maybe' }, {}]) {
      const { agent, diagnostics } = await open({ form: () => answer as unknown as ElicitationAnswer });
      expect((await agent.request('elicitation/create', form())).result).toEqual({ action: 'cancel' });
      expect(diagnostics.map(({ rule }) => rule)).toEqual(['handler.invalid_answer']);
    }
  });

  test('[41] v1, v2 unknown and repeated elicitation/complete are ignored', async () => {
    const { agent, completed } = await completing(({ elicitationId }) => ({
      action: elicitationId === 'declined' ? 'decline' : 'accept',
    }));
    await agent.request('elicitation/create', url('known'));
    await agent.request('elicitation/create', url('declined'));
    for (const id of ['unknown', 'known', 'known', 'declined', '__proto__']) {
      agent.notify('elicitation/complete', { elicitationId: id });
    }
    agent.notify('elicitation/complete', {});
    await flush(agent);
    expect(completed).toEqual(['known']);
  });

  test('[41] v1, v2 elicitation/complete may come while the request is open', async () => {
    const { agent, completed } = await completing(() => new Promise(() => {}));
    const asked = agent.request('elicitation/create', url('e1'));
    await flush(agent);
    agent.notify('elicitation/complete', { elicitationId: 'e1' });
    await flush(agent);
    expect(completed).toEqual(['e1']);
    agent.notify('$/cancel_request', { requestId: asked.id });
    expect((await asked).result).toEqual({ action: 'cancel' });
  });

  test('[41] v1, v2 a request that is made again under its id can be completed, also when the first one is withdrawn', async () => {
    let count = 0;
    const { agent, completed } = await completing(() =>
      ++count === 1 ? new Promise(() => {}) : { action: 'accept' },
    );
    const first = agent.request('elicitation/create', url('e1'));
    await flush(agent);
    const second = agent.request('elicitation/create', url('e1'));
    expect((await second).result).toEqual({ action: 'accept' });
    agent.notify('$/cancel_request', { requestId: first.id });
    expect((await first).result).toEqual({ action: 'cancel' });
    agent.notify('elicitation/complete', { elicitationId: 'e1' });
    await flush(agent);
    expect(completed).toEqual(['e1']);
  });

  test('[41] v1, v2 elicitation may refer to a request of the client, without a session', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect], {
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
    });
    await connection.newSession({ cwd });
    expect(agent.calls('session/new')).toHaveLength(1);
  });

  test('[38,41] v1, v2 session/cancel answers open elicitations as cancel', async () => {
    const { agent, session } = await openSession(dialect, {
      handlers: { elicit: { form: () => new Promise(() => {}) } },
      script: working(dialect),
    });
    const turn = session.prompt('Go');
    await agent.called('session/prompt');
    const asked = agent.request('elicitation/create', form());
    await flush(agent);
    await session.cancel();
    expect((await asked).result).toEqual({ action: 'cancel' });
    expect((await agent.request('elicitation/create', form())).result).toEqual({ action: 'cancel' });
    await endTurn(dialect, agent, 'cancelled');
    await turn;
  });
});
