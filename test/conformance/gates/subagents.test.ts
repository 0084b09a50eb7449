import { describe, expect, test } from 'vitest';
import { connectTo, dialectNames, everything } from '../../support/agents.ts';
import { cwd, flush, sent } from '../../support/open-session.ts';
import { methods, permittedForSubagents, sampleOf } from './table.ts';

/** An agent that supports everything, and a session whose subagent can do what `capabilities` says. */
async function withSubagent(dialect: (typeof dialectNames)[number], capabilities: object | null) {
  const connected = await connectTo(everything[dialect], {
    script: (agent) => {
      agent.on('session/new', { sessionId: 's1' });
      for (const method of Object.keys(methods[dialect])) {
        const { result } = sampleOf(dialect, method);
        if (result && method !== 'session/new') agent.on(method, result);
      }
    },
  });
  await connected.connection.newSession({ cwd });
  connected.agent.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'child', capabilities });
  await flush(connected.agent);
  return connected;
}

describe.each(dialectNames)('methods for a subagent in %s', (dialect) => {
  const rows = Object.keys(methods[dialect])
    .map((method) => ({ method, ...sampleOf(dialect, method) }))
    .filter(({ params }) => 'sessionId' in params)
    .map(({ method, params, result }) => ({
      method,
      isRequest: result !== undefined,
      params: { ...params, sessionId: 'child' },
      needs: Object.hasOwn(permittedForSubagents, method) ? permittedForSubagents[method] : 'refused',
    }));

  test('are all methods that name a session', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map(({ method }) => method)).toEqual(
      expect.arrayContaining(Object.keys(permittedForSubagents)),
    );
  });

  test.each([
    ['nothing', null],
    ['no capability', {}],
    ['cancel: null', { cancel: null }],
    ['cancel: {}', { cancel: {} }],
  ] as const)(
    '[77] v1, v2, v2-markers a subagent that permits %s gets what it permits',
    async (_, capabilities) => {
      const { agent, connection } = await withSubagent(dialect, capabilities);
      const permits = capabilities !== null && 'cancel' in capabilities && capabilities.cancel !== null;
      for (const { method, isRequest, params, needs } of rows) {
        const before = sent(agent).length;
        const isPermitted = needs === 'nothing' || (needs === 'cancel' && permits);
        const call = isRequest ? connection.request(method, params) : connection.notify(method, params);
        const error = await call.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        await flush(agent);
        const missing = [{ feature: method, path: 'capabilities', value: capabilities }];
        if (isPermitted) expect(error, method).toBeUndefined();
        else expect(error, method).toMatchObject({ code: 'usage.capability', method, missing });
        expect(sent(agent).length - before, method).toBe(isPermitted ? 1 : 0);
      }
    },
  );
});
