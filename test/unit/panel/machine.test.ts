import { describe, expect, test } from 'vitest';
import {
  initialState,
  type MachineState,
  type PanelEffect,
  type PanelEvent,
} from '../../../src/ui/panel/machine/state.ts';
import { transition } from '../../../src/ui/panel/machine/transitions.ts';
import { sentState } from '../../../src/ui/panel/machine/view.ts';
import type { PanelProblem } from '../../../src/ui/panel/state.ts';
import { cwd } from '../../support/panel-pair.ts';

const run = 0;
const end = { reason: 'The agent exited.', detail: null, code: 'agent.exit' };
const known = {
  agent: { name: 'tea', title: null, version: null },
  features: { 'session.load': true },
  authMethods: [{ methodId: 'key', name: 'Key', description: null, type: 'agent' }],
} as const;
const described = { type: 'described', run, phase: 'open', nextAttemptAt: null, ...known } as const;
const session = (sessionId: string, title?: string) => ({ sessionId, cwd, ...(title && { title }) });
const opened = (sessionId: string, firstLine: string | null = null) => ({
  ...session(sessionId),
  firstLine,
  isClosed: false,
  isIdle: true,
});
const problem = (code: string): PanelProblem => ({ message: code, detail: null, code, remedy: 'restart' });
const failed = (code: string, isTold = false) =>
  ({ type: 'failed', problem: problem(code), forLog: problem(code), isTold }) as const;
/** The state after events, and the effects of the last one. */
function take(...events: readonly PanelEvent[]): {
  readonly state: MachineState;
  readonly effects: readonly PanelEffect[];
} {
  let result: ReturnType<typeof take> = { state: initialState, effects: [] };
  for (const event of events) result = transition(result.state, event);
  return result;
}

describe('the agent of a panel', () => {
  const waiting = [
    { type: 'starting', run, isRestoring: true },
    { ...described, phase: 'reconnecting', nextAttemptAt: 5 },
  ] as const;

  test.each([
    { type: 'start_failed', run, problem: problem('agent.spawn'), forLog: problem('agent.spawn') },
    { type: 'no_agent', run },
    { type: 'agent_ended', run, end },
    { type: 'close' },
  ] as const)('loads nothing and is not attempted any more after $type', (event) => {
    expect(take(...waiting).state).toMatchObject({ phase: 'reconnecting', loadedUpdates: 0 });
    const over = { phase: 'closed', loadedUpdates: null, nextAttemptAt: null };
    expect(take(...waiting, event).state).toMatchObject(over);
  });

  test.each([
    [
      { type: 'start_failed', run, problem: problem('agent.spawn'), forLog: problem('log') },
      { code: 'agent.spawn', remedy: 'restart' },
      problem('log'),
    ],
    [
      { type: 'agent_ended', run, end },
      { code: 'agent.exit', remedy: 'restart' },
      { message: 'The agent exited. Start it again.' },
    ],
  ] as const)('is shown and reported as a problem after %j', (event, shown, reported) => {
    const { state, effects } = take(described, event);
    expect(sentState(state, []).problem).toMatchObject(shown);
    expect(effects).toMatchObject([{ type: 'report', problem: reported }]);
  });

  test.each([
    [true, 0],
    [false, null],
  ])('is forgotten by the next start, which restores a session: %j', (isRestoring, loadedUpdates) => {
    const { state } = take(described, failed('remote'), { type: 'start' });
    const next = transition(state, { type: 'starting', run: 1, isRestoring });
    const { phase, nextAttemptAt, agent, features, authMethods, problem: none } = initialState;
    expect(next.state).toMatchObject({ phase, nextAttemptAt, agent, features, authMethods, problem: none });
    expect(next.state.features).toEqual({});
    expect(next.state.loadedUpdates).toBe(loadedUpdates);
  });

  test('takes its sessions with it when another one is chosen', () => {
    const { state, effects } = take(
      described,
      { type: 'listed', run, sessions: [session('a')] },
      { type: 'sessions_changed', open: [opened('b', 'First')] },
      { type: 'open', id: 1, sessionId: 'b', isRemembered: false },
      { type: 'progress', id: 1, session: session('b'), updates: 2 },
      { type: 'agent_changed' },
    );
    expect(sentState(state, [])).toMatchObject({
      sessions: [],
      sessionId: null,
      loading: null,
    });
    expect(state.firstLines.size).toBe(0);
    expect(effects).toMatchObject([
      { type: 'follow', session: null },
      { type: 'remember', session: null },
    ]);
  });

  test('that has restarted before its end is known is no problem', () => {
    const { state, effects } = take(described, { type: 'agent_lost', run, end });
    expect([state.problem, effects]).toEqual([null, []]);
  });
});

describe('a problem of a panel', () => {
  const reconnecting = { ...described, phase: 'reconnecting' } as const;

  test.each([
    ['panel.superseded', false, null, 0],
    ['panel.refused', false, 'panel.refused', 1],
    ['remote', true, null, 1],
    ['remote', false, 'remote', 1],
    ['connection.closed', false, 'connection.closed', 1],
  ])(
    '%j, told by the transcript: %j, is shown as %j, and reported %j times',
    (code, isTold, shown, reports) => {
      const { state, effects } = take(described, failed(code, isTold));
      expect(state.problem?.code ?? null).toBe(shown);
      expect(effects).toHaveLength(reports);
    },
  );

  test.each([
    ['connection.closed', [], 'connection.closed', [null]],
    ['agent.exit', [], 'agent.exit', [null]],
    ['connection.closed', [failed('remote')], 'remote', []],
    ['agent.exit', [failed('remote')], 'remote', []],
    ['usage', [failed('remote')], 'usage', ['restart']],
    ['panel.refused', [failed('remote')], 'remote', ['restart']],
    ['panel.refused', [], 'panel.refused', ['restart']],
  ])('%j of an agent that starts again, after %j, is %j: %j', (code, before, shown, remedies) => {
    const { state, effects } = take(reconnecting, ...before, failed(code));
    expect(state.problem?.code).toBe(shown);
    expect(effects.map((effect) => 'problem' in effect && effect.problem.remedy)).toEqual(remedies);
  });

  test('goes with the next action if the agent runs, and when the user dismisses it', () => {
    expect(take(described, failed('remote'), { type: 'action' }).state.problem).toBeNull();
    const down = take(reconnecting, failed('remote'), { type: 'action' }).state;
    expect(down.problem?.code).toBe('remote');
    expect(transition(down, { type: 'dismissed' }).state.problem).toBeNull();
  });
});

describe('the sessions of a panel', () => {
  test('have their own title, or the one of the list, the first line or the transcript', () => {
    const { state } = take(
      {
        type: 'listed',
        run,
        sessions: [session('a', 'Listed'), session('b', 'Listed'), session('c'), session('d'), session('e')],
      },
      { type: 'saved', sessions: [session('d', 'Saved'), session('f', 'Saved')] },
      {
        type: 'sessions_changed',
        open: [
          { ...opened('a'), title: 'Own' },
          { ...opened('b'), title: '' },
          opened('c', 'First'),
          opened('x'),
          opened('y'),
          { ...opened('z'), isClosed: true },
        ],
      },
    );
    const { sessions } = sentState(state, []);
    expect(sessions.map(({ sessionId, title, isSavedOnly }) => [sessionId, title, isSavedOnly])).toEqual([
      ['y', null, undefined],
      ['x', null, undefined],
      ['a', 'Own', undefined],
      ['b', 'Listed', undefined],
      ['c', 'First', undefined],
      ['d', 'Saved', undefined],
      ['e', null, undefined],
      ['f', 'Saved', true],
    ]);
    expect(sessions[0]).toEqual({ ...session('y'), title: null });
  });

  test('that are open and did not change leave the state as it is', () => {
    const open = [opened('a', 'First')];
    const { state } = take({ type: 'sessions_changed', open });
    expect(transition(state, { type: 'sessions_changed', open: structuredClone(open) }).state).toBe(state);
    const renamed = open.map((info) => ({ ...info, title: 'Other' }));
    expect(transition(state, { type: 'sessions_changed', open: renamed }).state.open).toBe(renamed);
  });

  test.each(['session_closed', 'session_deleted'] as const)(
    'that are shown stay after %s of another one',
    (type) => {
      const shown = session('a');
      const { state } = take(
        { type: 'listed', run, sessions: [shown, session('b')] },
        { type: 'saved', sessions: [shown, session('b')] },
        { type: 'open', id: 1, sessionId: 'a', isRemembered: false },
        { type: 'opened', id: 1, session: shown },
        { type: 'sessions_changed', open: [opened('b', 'First')] },
      );
      const listedAgain = transition(state, { type: 'sessions_changed', open: [] }).state;
      expect(listedAgain.firstLines).toBe(state.firstLines);
      const other = transition(listedAgain, { type, sessionId: 'b' });
      expect(other.state.firstLines.has('b')).toBe(type === 'session_closed');
      expect(other.state.shown).toBe(shown);
      expect(other.effects).toEqual([]);
      const left = type === 'session_closed' ? [shown, session('b')] : [shown];
      expect([other.state.listed, other.state.saved]).toEqual([left, left]);
      const own = transition(state, { type, sessionId: 'a' });
      expect(own.state.shown).toBeNull();
      expect(take({ type, sessionId: 'a' }).effects).toEqual([]);
      expect(own.effects).toMatchObject([{ type: 'follow' }, { type: 'remember', session: null }]);
    },
  );

  test('are remembered once, and one of the memory that failed leaves what was remembered', () => {
    const shown = session('a');
    const open = (isRemembered: boolean) => ({ type: 'open', id: 1, sessionId: 'a', isRemembered }) as const;
    const progress = { type: 'progress', id: 1, session: shown, updates: 1 } as const;
    const twice = take(open(false), progress, { ...progress, updates: 2 });
    expect([twice.state.loadedUpdates, twice.effects]).toEqual([2, []]);
    for (const [isRemembered, isGone, kinds] of [
      [false, false, ['follow', 'remember']],
      [false, true, ['follow', 'remember']],
      [true, false, ['follow']],
      [true, true, ['follow', 'remember']],
    ] as const) {
      const gone = take(open(isRemembered), progress, { type: 'open_failed', id: 1, isGone });
      expect(gone.state.shown).toBeNull();
      expect(gone.effects.map(({ type }) => type)).toEqual(kinds);
    }
  });
});
