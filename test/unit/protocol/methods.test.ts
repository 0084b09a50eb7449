import { describe, expect, expectTypeOf, it } from 'vitest';
import { sessionMethods } from '../../../src/core/protocol/dialects.ts';
import type { AgentMethod } from '../../../src/core/protocol/method.ts';
import type { AgentNotifications, AgentRequests } from '../../../src/core/protocol/requests.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import * as methods1 from '../../../src/core/protocol/v1/methods.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';
import * as methods2 from '../../../src/core/protocol/v2/methods.ts';

/** What each method of any version does to a session. The compiler checks that each one is here. */
const expected: Readonly<Record<keyof AgentRequests | keyof AgentNotifications, AgentMethod['session']>> = {
  'session/new': 'opens',
  'session/fork': 'opens',
  'session/load': 'attaches',
  'session/resume': 'attaches',
  'session/close': 'ends',
  'session/delete': 'ends',
  '_session/steering': undefined,
  'auth/login': undefined,
  'auth/logout': undefined,
  'auth/status': undefined,
  authenticate: undefined,
  logout: undefined,
  'mcp/message': undefined,
  'providers/disable': undefined,
  'providers/list': undefined,
  'providers/set': undefined,
  'session/archive': undefined,
  'session/cancel': undefined,
  'session/inject': undefined,
  'session/list': undefined,
  'session/options': undefined,
  'session/prompt': undefined,
  'session/revoke_inject': undefined,
  'session/set_config_option': undefined,
  'session/set_mode': undefined,
  'session/set_model': undefined,
  'session/set_title': undefined,
  'session/status': undefined,
  'session/unarchive': undefined,
  'terminal/cancel': undefined,
  'tool_call/cancel': undefined,
};

const notifications: Readonly<Record<keyof AgentNotifications, true>> = {
  'session/cancel': true,
  'mcp/message': true,
};

const methods = [v1, v2Baseline, v2Markers].flatMap(({ agentMethods }) => Object.values(agentMethods));

function namesOf(selected: readonly AgentMethod[]): readonly string[] {
  return [...new Set(selected.map(({ method }) => method))].sort();
}

describe('the types of calls by method name', () => {
  it('list every request of every dialect', () => {
    const requests = Object.keys(expected).filter((method) => !Object.hasOwn(notifications, method));
    expect(namesOf(methods.filter(({ result }) => result))).toEqual(requests.sort());
  });

  it('list every notification of every dialect', () => {
    expect(namesOf(methods.filter(({ result }) => !result))).toEqual(Object.keys(notifications).sort());
  });

  it('have the parameters and results that the descriptors read', () => {
    type TypesOf<D> = D extends AgentMethod<infer P, infer R> ? { params: P; result: R } : never;
    expectTypeOf<TypesOf<typeof methods1.newSession>>().toExtend<AgentRequests['session/new']>();
    expectTypeOf<TypesOf<typeof methods2.newSession>>().toExtend<AgentRequests['session/new']>();
    expectTypeOf<TypesOf<typeof methods1.loadSession>>().toExtend<AgentRequests['session/load']>();
    expectTypeOf<TypesOf<typeof methods2.loadSession>>().toExtend<AgentRequests['session/load']>();
    expect([methods1.newSession.method, methods2.newSession.method]).toEqual(['session/new', 'session/new']);
  });
});

const dialects = [v1, v2Markers, v2Baseline];

describe('what methods do to a session', () => {
  it('is decided for each method', () => {
    const said = Object.entries(sessionMethods.calls).map(([name, { session }]) => [name, session]);
    expect(Object.fromEntries(said)).toStrictEqual(expected);
  });

  it.each(dialects)('is the same in $name as for a transport, which does not know the version', (dialect) => {
    for (const [method, { session }] of Object.entries(dialect.agentMethods)) {
      expect([method, sessionMethods.calls[method]?.session]).toEqual([method, session]);
    }
    // The calls of the client send these, and the table has one for each name.
    for (const call of Object.values(dialect.calls)) {
      const { method, session } = call?.descriptor ?? {};
      if (method) expect([method, sessionMethods.calls[method]?.session]).toEqual([method, session]);
    }
  });

  it.each(dialects)(
    'is a replay for what loadSession sends in $name, and not for resumeSession',
    (dialect) => {
      const replays = (name: 'loadSession' | 'resumeSession') => {
        const call = dialect.calls[name];
        const params = call?.encode({ sessionId: 's1', cwd: '/project' });
        const { method = '' } = call?.descriptor ?? {};
        return sessionMethods.calls[method]?.replays?.(Object(params)) ?? false;
      };
      expect([replays('loadSession'), replays('resumeSession')]).toEqual([true, false]);
    },
  );

  it.each(dialects)('has the names of $name', ({ clientMethods, normalize }) => {
    const { cancelRequest, sessionUpdate, subagentUpdate } = sessionMethods;
    expect(Object.keys(clientMethods)).toEqual(expect.arrayContaining([cancelRequest, sessionUpdate]));
    const update = { sessionUpdate: subagentUpdate, sessionId: 's2' };
    expect(normalize(update).update).toMatchObject(update);
  });
});
