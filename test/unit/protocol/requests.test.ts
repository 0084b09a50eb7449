import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AgentMethod } from '../../../src/protocol/method.ts';
import type { AgentNotifications, AgentRequests } from '../../../src/protocol/requests.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import * as setup1 from '../../../src/protocol/v1/session-setup.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';
import * as setup2 from '../../../src/protocol/v2/session-setup.ts';

/** Every key of the type, checked by the compiler. */
const requests: Readonly<Record<keyof AgentRequests, true>> = {
  'session/new': true,
  'session/load': true,
  'session/resume': true,
  'session/list': true,
  'session/close': true,
  'session/delete': true,
  'session/prompt': true,
  'session/set_mode': true,
  'session/set_model': true,
  'session/set_config_option': true,
  'tool_call/cancel': true,
  'terminal/cancel': true,
  authenticate: true,
  logout: true,
  'auth/login': true,
  'auth/logout': true,
  'session/fork': true,
  '_session/steering': true,
  'session/inject': true,
  'session/revoke_inject': true,
  'session/archive': true,
  'session/unarchive': true,
  'session/status': true,
  'session/set_title': true,
  'auth/status': true,
  'providers/list': true,
  'providers/set': true,
  'providers/disable': true,
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
    expect(namesOf(methods.filter(({ result }) => result))).toEqual(Object.keys(requests).sort());
  });

  it('list every notification of every dialect', () => {
    expect(namesOf(methods.filter(({ result }) => !result))).toEqual(Object.keys(notifications).sort());
  });

  it('have the parameters and results that the descriptors read', () => {
    type TypesOf<D> = D extends AgentMethod<infer P, infer R> ? { params: P; result: R } : never;
    expectTypeOf<TypesOf<typeof setup1.newSession>>().toExtend<AgentRequests['session/new']>();
    expectTypeOf<TypesOf<typeof setup2.newSession>>().toExtend<AgentRequests['session/new']>();
    expectTypeOf<TypesOf<typeof setup1.loadSession>>().toExtend<AgentRequests['session/load']>();
    expectTypeOf<TypesOf<typeof setup2.loadSession>>().toExtend<AgentRequests['session/load']>();
    expect([setup1.newSession.method, setup2.newSession.method]).toEqual(['session/new', 'session/new']);
  });
});
