import { describe, expect, it } from 'vitest';
import { sessionMethods } from '../../../src/protocol/session-methods.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';

const dialects = [v1, v2Markers, v2Baseline];

/** What each method of any version does to a session. A new method fails this test until it is written here. */
const expected: Readonly<Record<string, string | undefined>> = {
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
