import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/core/client/session/machine/events.ts';
import type { TurnRules } from '../../../src/core/client/session/machine/state.ts';
import { text } from '../../support/agents.ts';
import {
  abandoned,
  answered,
  answers,
  cancel,
  close,
  end,
  failed,
  foldedKinds,
  folds,
  load,
  loaded,
  lost,
  permission,
  permissionUpdates,
  play,
  prompt,
  reported,
  request,
  says,
  settled,
  stateUpdates,
  toolCallUpdate,
  update,
  userMessage,
} from './machine.ts';

const stalled: SessionEvent = { type: 'stalled' };

describe('a turn', () => {
  test.each([
    ['fails', (key: string) => failed(key)],
    ['is abandoned', abandoned],
  ])('that %s ends no other', (_, event) => {
    expect(settled(play('response', prompt('p1'), prompt('p2'), event('p2')).effects)).toEqual(['p2']);
  });

  const done = (key: string, stopReason = 'end_turn') => answered(key, { stopReason });
  const waiting: SessionEvent = { type: 'queued', id: 'q', content: [text('Next.')] };
  const two = [prompt('p1'), prompt('p2'), waiting];
  test.each<[end: string, isEnded: boolean, events: readonly SessionEvent[]]>([
    ['an earlier one has ended', false, [...two, done('p1'), stalled]],
    ['a later one has ended', true, [...two, done('p2'), stalled]],
    ['a later one has ended, and both are cancelled', true, [...two, done('p2'), cancel, stalled]],
    ['a later one has ended, and the agent speaks', false, [...two, done('p2'), says]],
    ['the agent cancelled a later one', false, [...two, done('p2', 'cancelled'), stalled]],
    ['the agent refused a later one', false, [...two, failed('p2'), stalled]],
  ])('without an answer, if %s: the silence ends it, and the queue goes on: %s', (_, isEnded, events) => {
    const { effects } = play('response', ...events);
    expect(settled(effects)).toEqual(isEnded ? ['p1'] : []);
    expect(effects.some(({ type }) => type === 'send_queued')).toBe(isEnded);
  });

  test('is abandoned after another one', () => {
    const events = [prompt('p1'), prompt('p2'), abandoned('p1'), abandoned('p2')];
    expect(settled(play('response', ...events).effects)).toEqual(['p2']);
    expect(play('response', ...events, abandoned('p1')).effects).toEqual([]);
  });

  test('that fails leaves the error in the activity until the next turn', () => {
    const activityAfter = (data: object) => {
      const event = failed('p1', { code: 429, message: 'session/prompt: …', reason: 'Too many.', ...data });
      return stateUpdates(play('response', prompt('p1'), event).effects);
    };
    const error = { code: 429, message: 'Too many.' };
    const shown = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'error' };
    // The session is idle before the failure is shown.
    const folded = foldedKinds(play('response', prompt('p1'), failed('p1')).effects);
    expect(folded.slice(-2)).toEqual(['state_update', 'turn_failed']);
    expect(activityAfter({})).toStrictEqual([{ ...shown, error }]);
    expect(activityAfter({ data: { wait: 1 } })).toStrictEqual([
      { ...shown, error: { ...error, data: { wait: 1 } } },
    ]);
  });

  test.each<[close: string, event: SessionEvent, stopReason: string | null]>([
    ['cancelled when the session is closed', { type: 'closed', end }, 'cancelled'],
    ['for no known reason when the agent ends', lost, null],
  ])('has ended %s', (_, event, stopReason) => {
    expect(stateUpdates(play('response', prompt('p1'), event).effects)).toEqual([
      { sessionUpdate: 'state_update', state: 'idle', stopReason },
    ]);
  });
});

describe('a turn of version 2', () => {
  test.each<[acceptance: string, events: readonly SessionEvent[]]>([
    ['unknown', [prompt('p1')]],
    ['begun', [prompt('p1'), prompt('p2'), says]],
    ['accepted', [prompt('p1'), answered('p1', {})]],
    ['accepted', [prompt('p1'), prompt('p2'), userMessage('u1')]],
  ])('whose agent ends says that the acceptance is %s', (acceptance, events) => {
    expect(play('state_update', ...events, lost).effects).toContainEqual(
      expect.objectContaining({
        type: 'settle',
        key: 'p1',
        outcome: expect.objectContaining({ acceptance }),
      }),
    );
  });

  const [first, second] = [prompt('p1'), prompt('p2')];
  const running = reported('running');
  const idle = reported('idle', { stopReason: 'end_turn' });
  const named = (key: string, messageId: string) => answered(key, { messageId });
  const accepted = [first, named('p1', 'u1')];
  const late = reported('idle', { stopReason: 'cancelled' });

  test.each<[name: string, ends: readonly string[], events: readonly SessionEvent[]]>([
    ['an idle state before the agent has begun it', [], [first, reported('idle')]],
    ['an idle state before the agent has begun one of two', [], [first, running, second, reported('idle')]],
    ['an idle state if the agent has begun it', ['p1'], [first, running, says, idle]],
    ['an answer without a stop reason', [], [first, answered('p1', {})]],
    ['an answer with a stop reason', ['p1'], [first, answered('p1', { stopReason: 'end_turn' })]],
    [
      'an idle state if all were accepted',
      ['p1', 'p2'],
      [first, second, named('p1', 'u1'), named('p2', 'u2'), idle],
    ],
    [
      'an answer after an idle state, before the report of its message',
      [],
      [first, second, running, reported('idle'), named('p1', 'u1')],
    ],
    [
      'an answer after the report of its message and an idle state',
      ['p1'],
      [first, second, userMessage('u1'), running, idle, named('p1', 'u1')],
    ],
    [
      'an answer whose message was reported after the idle state',
      [],
      [first, second, userMessage('u1'), running, idle, userMessage('u2'), named('p2', 'u2')],
    ],
    [
      'an answer that names the message of an idle state before its prompt',
      [],
      [first, second, userMessage('u1'), running, idle, prompt('p3'), named('p3', 'u1')],
    ],
    [
      'an answer that is repeated, after a repeated report',
      ['p1'],
      [
        first,
        second,
        userMessage('u1'),
        running,
        idle,
        userMessage('u2'),
        userMessage('u1'),
        named('p1', 'u1'),
      ],
    ],
  ])('with %s, ends %j', (_, ends, events) => {
    expect(settled(play('state_update', ...events).effects)).toEqual(ends);
  });

  test.each([
    ['with an empty message', { error: { code: 5, message: '' } }, 5],
    ['without an error', {}, -32603],
  ])('that fails %s has a reason all the same', (_, fields, code) => {
    const { effects } = play(
      'state_update',
      prompt('p1'),
      reported('running'),
      reported('idle', { stopReason: 'error', ...fields }),
    );
    expect(foldedKinds(effects)[0]).toBe('state_update');
    expect(folds(effects).filter(({ sessionUpdate }) => sessionUpdate === 'turn_failed')).toEqual([
      { sessionUpdate: 'turn_failed', cause: 'failed', reason: 'The turn failed.', code },
    ]);
  });

  test('leaves unfinished tool calls alone unless it was cancelled', () => {
    const kindsAfter = (stopReason: string) =>
      foldedKinds(play('state_update', reported('running'), reported('idle', { stopReason })).effects);
    expect(kindsAfter('end_turn')).toEqual(['state_update']);
    expect(kindsAfter('cancelled')).toEqual(['state_update', 'unfinished_cancelled']);
    const turn = [prompt('p1'), reported('running'), reported('idle', { stopReason: 'end_turn' })];
    expect(foldedKinds(play('state_update', ...turn).effects)).not.toContain('unfinished_cancelled');
    // The state of a session that is loaded is no news.
    for (const before of [[load], [load, late, loaded]])
      expect(foldedKinds(play('state_update', ...before, late).effects)).not.toContain(
        'unfinished_cancelled',
      );
  });

  test.each<[name: string, isEnded: boolean, events: readonly SessionEvent[]]>([
    ['an idle state without a reason', false, [...accepted, reported('idle', { background: [] })]],
    ['an idle state after its report', false, [...accepted, userMessage('u1'), reported('idle')]],
    ['the reason of the end before', false, [running, late, ...accepted, late]],
    ['the reason of the end before, after a cancel', true, [running, late, ...accepted, cancel, late]],
    ['a new reason', true, [running, late, ...accepted, idle]],
    ['the state in which the session is loaded', false, [...accepted, load, late]],
    ['a cancel', false, [...accepted, cancel]],
    ['a cancel and an idle state without a reason', false, [...accepted, cancel, reported('idle')]],
    ['a cancel after a long silence', true, [...accepted, stalled, cancel]],
    ['a cancel before a long silence', true, [...accepted, cancel, stalled]],
    ['a long silence and a cancel before the answer', false, [first, stalled, cancel]],
    ['a long silence and a cancel during the work', false, [...accepted, running, stalled, cancel]],
    ['a long silence and a cancel after a message', false, [...accepted, says, stalled, cancel]],
  ])('that has not begun: %s ends it: %s', (_, isEnded, events) => {
    expect(settled(play('state_update', ...events).effects)).toEqual(isEnded ? ['p1'] : []);
  });

  const unnamed = update({ sessionUpdate: 'user_message_chunk', messageId: null, content: text('Go.') });
  const [u1, u2] = [userMessage('u1'), userMessage('u2')];
  test.each<[when: string, ids: readonly (string | null)[], events: readonly SessionEvent[]]>([
    ['in the order of the prompts', ['u1', 'u2'], [first, second, unnamed, u1, u1, u2]],
    ['only if no other open prompt has it', ['u1', null], [...accepted, second, u1]],
  ])('gets the id of a reported message %s', (_, ids, events) => {
    expect(play('state_update', ...events).state.turns.map(({ messageId }) => messageId)).toEqual(ids);
  });

  test('remembers each reported message once, and only while a prompt is open', () => {
    const idsAfter = (...events: SessionEvent[]) => {
      const ids: string[] = [];
      let report = play('state_update', ...events).state.reportedMessages;
      for (; report; report = report.earlier) ids.push(report.messageId);
      return ids;
    };
    expect(idsAfter(u1)).toEqual([]);
    expect(idsAfter(prompt('p1'), unnamed)).toEqual([]);
    expect(idsAfter(prompt('p1'), u1, u1)).toEqual(['u1']);
    expect(idsAfter(prompt('p1'), u1, u2)).toEqual(['u2', 'u1']);
  });
});

describe('a request of the agent', () => {
  test.each<[name: string, requests: readonly SessionEvent[]]>([
    ['two forms of one tool call', [request('r1', 't1', 'elicitation'), request('r2', 't1', 'elicitation')]],
    ['two permissions under one id', [request('r1', 't1'), request('r2', 't1')]],
    ['a form and a permission of one tool call', [request('r1', 't1', 'elicitation'), request('r2', 't1')]],
    ['a permission and a form of one tool call', [request('r1', 't1'), request('r2', 't1', 'elicitation')]],
    ['permissions of no tool call', [request('r1', null), request('r2', null)]],
  ])('does not take the place of another one: %s', (_, requests) => {
    const { effects, state } = play('response', prompt('p1'), ...requests);
    expect(state.requests.map(({ id }) => id)).toEqual(['r1', 'r2']);
    expect(answers(effects)).toEqual([]);
  });

  test('changes the permission of a tool call only if it is about one', () => {
    const updatesAt = (event: SessionEvent) => permissionUpdates(play('response', event).effects);
    expect(updatesAt(request('r1', 't1'))).toEqual([permission]);
    expect(updatesAt(request('r1', 't1', 'elicitation'))).toEqual([]);
    expect(updatesAt(request('r1', null))).toEqual([]);
  });

  test.each<[reason: string, event: SessionEvent]>([
    ['handled', { type: 'request_answered', id: 'r2' }],
    ['withdrawn', { type: 'request_withdrawn', id: 'r2', reason: 'withdrawn' }],
    ['closed', { type: 'request_withdrawn', id: 'r2', reason: 'closed' }],
    ['finished', toolCallUpdate('t2', 'completed')],
    ['finished', toolCallUpdate('t2', 'failed')],
    ['finished', update({ sessionUpdate: 'tool_call', toolCallId: 't2', title: 'T', status: 'completed' })],
  ])('that is %s leaves the others', (reason, event) => {
    const { effects } = play('response', prompt('p1'), request('r1', 't1'), request('r2', 't2'), event);
    expect(answers(effects)).toEqual([['r2', reason]]);
  });

  test.each(['pending', 'in_progress', 'unheard-of'])('stays while its tool call is %s', (status) => {
    const { effects } = play('response', prompt('p1'), request('r1', 't1'), toolCallUpdate('t1', status));
    expect(answers(effects)).toEqual([]);
  });

  test('is not of work in the background if that is no tool call', () => {
    const background = [{ type: 'subagent', toolCallId: 't9', sessionId: 's2' }];
    const atWork = [reported('running', { background }), request('r1', 't9')];
    expect(answers(play('state_update', ...atWork, cancel).effects)).toEqual([['r1', 'cancelled']]);
  });

  test.each<[ended: string, before: readonly SessionEvent[], finished: readonly string[]]>([
    ['the oldest one of those that wait', [], ['r1']],
    ['the one that has its answer', [{ type: 'request_answered', id: 'r2' }], []],
    ['the one that has its answer, if it is older', [{ type: 'request_answered', id: 'r1' }], []],
  ])('of several calls with one id ends with its own call: %s', (_, before, finished) => {
    const asked = [prompt('p1'), request('r1', 't1'), request('r2', 't1'), ...before];
    const { effects } = play('response', ...asked, toolCallUpdate('t1', 'completed'));
    const ids = answers(effects).flatMap(([id, reason]) => (reason === 'finished' ? [id] : []));
    expect(ids).toEqual(finished);
    const all = play('response', ...asked, toolCallUpdate('t1', 'failed'), toolCallUpdate('t1', 'failed'));
    expect(all.state.requests).toEqual([]);
  });

  test('leaves no permission when it was answered, and a form none in the first place', () => {
    const asked = play('response', prompt('p1'), request('r1', 't1'), {
      type: 'request_answered',
      id: 'r1',
    });
    expect(permissionUpdates(asked.effects)).toEqual([null]);
    const form = request('r1', 't1', 'elicitation');
    const filled = play('response', prompt('p1'), form, { type: 'request_answered', id: 'r1' });
    expect(answers(filled.effects)).toEqual([['r1', 'handled']]);
    expect(permissionUpdates(filled.effects)).toEqual([]);
    const other = play('response', request('r1', null), { type: 'request_answered', id: 'r1' });
    expect(answers(other.effects)).toEqual([['r1', 'handled']]);
    expect(permissionUpdates(other.effects)).toEqual([]);
  });

  const working = [reported('running'), cancel];
  const accepted = [prompt('p1'), answered('p1', { messageId: 'u1' }), cancel];
  const repeated = reported('idle', { background: [] });
  const byCancel = { stopReason: 'cancelled' };
  const oneOfTwo = [prompt('p1'), prompt('p2'), cancel, answered('p1', byCancel)];
  test.each<[when: string, isCancelled: boolean, rules: TurnRules, before: readonly SessionEvent[]]>([
    ['while the session is being closed', true, 'response', [close]],
    ['after a cancellation', true, 'state_update', working],
    ['after it and a repeated state', true, 'state_update', [...accepted, repeated]],
    ['after it and the end', false, 'state_update', [...accepted, reported('idle', byCancel)]],
    ['after it and a prompt', false, 'state_update', [...working, prompt('p1')]],
    ['after it while only a request was open', true, 'state_update', [request('r2', null), cancel]],
    ['after it and the end of one of two turns', true, 'response', oneOfTwo],
    ['after it and the end of both', false, 'response', [...oneOfTwo, answered('p2', byCancel)]],
  ])('that comes %s is cancelled: %s', (_, isCancelled, rules, before) => {
    const { effects } = play(rules, ...before, request('r1', null));
    expect(answers(effects)).toEqual(isCancelled ? [['r1', 'cancelled']] : []);
    expect(effects.some(({ type }) => type === 'ask')).toBe(!isCancelled);
  });

  test('of work in the background survives a cancellation, until the agent reports that there is none', () => {
    const background = [{ type: 'tool_call', toolCallId: 't9' }];
    const atWork = [reported('running', { background }), request('r1', 't9')];
    const cancelled = [...atWork, reported('running'), cancel];
    for (const late of [[], [request('r2', 't9')]])
      expect(answers(play('state_update', ...cancelled, ...late).effects)).toEqual([]);
    const none = reported('running', { background: null });
    expect(answers(play('state_update', ...atWork, none, cancel).effects)).toEqual([['r1', 'cancelled']]);
  });
});
