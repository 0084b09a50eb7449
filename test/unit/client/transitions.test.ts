import { describe, expect, test } from 'vitest';
import type { SessionEnd } from '../../../src/client/session/machine/session-end.ts';
import {
  type AgentFailure,
  initialState,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
  type SessionStatus,
  statusOf,
  type TurnRules,
} from '../../../src/client/session/machine/state.ts';
import { transition } from '../../../src/client/session/machine/transitions.ts';
import { emptyConversation, foldUpdates } from '../../../src/conversation/fold.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import { text } from '../../support/agents.ts';

const setup = { cwd: '/project' };
const nothing = () => {};

const opened: SessionEvent = { type: 'opened', setup, opened: {}, mayReplayOn: false };
const close: SessionEvent = { type: 'close', send: nothing };
const closeFailed: SessionEvent = { type: 'close_failed' };
const end: SessionEnd = { reason: 'closed' };
const lost: SessionEvent = {
  type: 'link_lost',
  end,
  error: new Error('exited'),
  interruption: 'It exited.',
};
const interrupted = { sessionUpdate: 'turn_failed', cause: 'interrupted', reason: 'It exited.' };
const cancel: SessionEvent = { type: 'cancel', send: nothing, skip: nothing };
const prompt = (key: string): SessionEvent => ({
  type: 'prompt',
  key,
  content: [text('Go.')],
  send: nothing,
});
const failed = (
  key: string,
  failure: AgentFailure = { code: 429, message: 'session/prompt: Too many.', reason: 'Too many.' },
): SessionEvent => ({
  type: 'prompt_failed',
  key,
  error: new Error('failed'),
  failure,
  isKept: true,
});
const abandoned = (key: string): SessionEvent => ({
  type: 'prompt_abandoned',
  key,
  reason: 'enough',
  cancel: nothing,
});
const load: SessionEvent = { type: 'reopen', mode: 'replace', abandon: nothing, onReplayed: undefined };
const loadFailed: SessionEvent = { type: 'reopen_failed', isAbandoned: false };
const loadAbandoned: SessionEvent = { type: 'reopen_failed', isAbandoned: true };
const loaded: SessionEvent = { type: 'opened', setup, opened: {}, mayReplayOn: true };
const answered = (key: string, answer: object): SessionEvent => ({ type: 'prompt_answered', key, answer });
const update = (fields: AnyUpdate): SessionEvent => ({ type: 'update', update: fields });
const userMessage = (messageId: string) =>
  update({ sessionUpdate: 'user_message', messageId, content: [text('Go.')] });
const says = update({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('Yes.') });
const toolCallUpdate = (toolCallId: string, status: string) =>
  update({ sessionUpdate: 'tool_call_update', toolCallId, status });
const reported = (state: string, fields: object = {}) =>
  update({ sessionUpdate: 'state_update', state, ...fields });
const permission = { title: 'May I?', description: null, options: [] };
const request = (
  id: string,
  toolCallId: string | null,
  kind: 'permission' | 'elicitation' = 'permission',
): SessionEvent => ({
  type: 'request',
  request: { id, kind, toolCallId },
  permission: kind === 'permission' ? permission : null,
});

/** The state after these events, and the effects of the last one. */
function play(rules: TurnRules, ...events: readonly SessionEvent[]) {
  let state: SessionState = initialState(setup);
  let effects: readonly SessionEffect[] = [];
  for (const event of [opened, ...events]) ({ state, effects } = transition(state, event, rules));
  return { state, effects };
}

const settled = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'settle' ? [effect.key] : []));
const answers = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'answer' ? [[effect.id, effect.reason]] : []));
const folds = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'fold' ? [effect.update] : []));
const stateUpdates = (effects: readonly SessionEffect[]) =>
  folds(effects).filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
const foldedKinds = (effects: readonly SessionEffect[]) =>
  folds(effects).map(({ sessionUpdate }) => sessionUpdate);
const calls = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'call' ? [effect.call] : []));
const permissionUpdates = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) =>
    effect.type === 'fold' && effect.update.sessionUpdate === 'permission_update'
      ? [effect.update.permission]
      : [],
  );

describe('a session', () => {
  test('stays in the state of closing when a call that opens it is answered', () => {
    const { state } = play('response', close, opened);
    expect(statusOf(state)).toBe('closing');
    expect(statusOf(play('response', close, opened, { type: 'close_failed' }).state)).toBe('idle');
  });

  test.each<[status: SessionStatus, rules: TurnRules, events: readonly SessionEvent[]]>([
    ['idle', 'response', []],
    ['replaying', 'response', [load]],
    ['running', 'response', [prompt('p1')]],
    ['running', 'state_update', [reported('running')]],
    ['requires_action', 'response', [request('r1', null)]],
    ['requires_action', 'response', [prompt('p1'), request('r1', null)]],
    ['closing', 'response', [prompt('p1'), close]],
    ['interrupted', 'response', [lost]],
    ['closed', 'response', [close, lost]],
  ])('has the status %s (%s, %#)', (status, rules, events) => {
    expect(statusOf(play(rules, ...events).state)).toBe(status);
  });

  test('has the status opening until the agent answers', () => {
    expect(statusOf(initialState(setup))).toBe('opening');
  });

  test('shows what the agent answered when it was opened, and nothing else', () => {
    const modes = { availableModes: [], currentModeId: 'ask' };
    const models = { availableModels: [], currentModelId: 'small' };
    const commands = [{ name: 'plan', description: 'Plans.', input: null }];
    const all = { _meta: { a: 1 }, modes, models, configOptions: [], commands };
    const { effects } = play('state_update', { type: 'opened', setup, opened: all, mayReplayOn: false });
    expect(folds(effects)).toEqual([
      { sessionUpdate: 'session_info_update', _meta: { a: 1 } },
      { sessionUpdate: 'modes_update', modes },
      { sessionUpdate: 'models_update', models },
      { sessionUpdate: 'config_option_update', configOptions: [] },
      { sessionUpdate: 'available_commands_update', availableCommands: commands },
    ]);
    expect(folds(play('state_update').effects)).toEqual([]);
  });

  test('sends a cancellation only while it is open', () => {
    const [send, skip] = [() => {}, () => {}];
    const cancelWith: SessionEvent = { type: 'cancel', send, skip };
    const called = (...events: SessionEvent[]) =>
      calls(play('response', prompt('p1'), ...events, cancelWith).effects);
    expect(called()).toEqual([send]);
    expect(called(close)).toEqual([skip]);
    expect(called(lost)).toEqual([skip]);
    expect(called(close, lost)).toEqual([skip]);
  });

  test('leaves work that goes on alone when there is nothing to cancel any more', () => {
    const late = play('state_update', close, cancel);
    expect(foldedKinds(late.effects)).toEqual([]);
    expect(late.state.isCancelling).toBe(false);
  });

  test('stays interrupted when an earlier call that closes it fails', () => {
    const { state } = play('response', close, close, closeFailed, lost, closeFailed);
    expect(statusOf(state)).toBe('interrupted');
  });

  test('ends a prompt as cancelled once it is closed, and sends nothing', () => {
    const { effects } = play('response', { type: 'closed', end }, prompt('p1'));
    const result = { stopReason: 'cancelled', messageId: null };
    expect(effects).toEqual([{ type: 'settle', key: 'p1', outcome: { result } }]);
  });

  test.each(['response', 'state_update'] as const)(
    'that is idle stays as it is when its agent ends (%s)',
    (rules) => {
      expect(stateUpdates(play(rules, lost).effects)).toEqual([]);
      expect(stateUpdates(play(rules, { type: 'closed', end }).effects)).toEqual([]);
    },
  );

  const idle = { sessionUpdate: 'state_update', state: 'idle' };
  const atEnd = reported('idle', { stopReason: 'end_turn' });
  const inBackground = { stopReason: 'end_turn', background: [{ type: 'tool_call', toolCallId: 't9' }] };

  test.each<[name: string, before: readonly SessionEvent[], shown: readonly object[]]>([
    ['at work', [reported('running')], [idle]],
    ['at work after it was idle', [atEnd, reported('running')], [idle]],
    [
      'idle with work in the background',
      [reported('idle', inBackground)],
      [{ ...idle, stopReason: 'end_turn' }],
    ],
    ['idle', [atEnd], []],
  ])('that is %s is idle without work in the background when its agent ends', (_, before, shown) => {
    const { state, effects } = play('state_update', ...before, lost);
    expect(stateUpdates(effects)).toEqual(shown);
    expect(state).toMatchObject({ reported: 'idle', background: new Set() });
  });

  test.each<
    [name: string, before: readonly SessionEvent[], event: SessionEvent, failures: readonly object[]]
  >([
    ['an entry when its agent ends during a turn', [prompt('p1')], lost, [interrupted]],
    ['no entry when its agent ends between turns', [], lost, []],
    ['no entry when it is closed during a turn', [prompt('p1')], { type: 'closed', end }, []],
  ])('gets %s', (_, before, event, failures) => {
    const entries = folds(play('response', ...before, event).effects).filter(
      ({ sessionUpdate }) => sessionUpdate === 'turn_failed',
    );
    expect(entries).toEqual(failures);
  });

  test('has nothing unfinished and nothing to cancel when its agent ends', () => {
    const { state, effects } = play('state_update', reported('running'), cancel, lost);
    expect(foldedKinds(effects)).toContain('unfinished_cancelled');
    expect(state.isCancelling).toBe(false);
  });

  test('is stalled only during a turn', () => {
    expect(play('response', prompt('p1'), { type: 'stalled' }).effects).toEqual([
      { type: 'report_stall', isSteered: false },
    ]);
    expect(play('response', { type: 'stalled' }).effects).toEqual([]);
  });

  test('shows another conversation after a resume only if the editor gives one', () => {
    const [shown, saved] = [emptyConversation('s1'), emptyConversation('s1')];
    expect(play('response', { type: 'reopen', mode: 'keep', shown }).effects).toEqual([]);
    expect(play('response', { type: 'reopen', mode: 'keep', shown, saved }).effects).toEqual([
      { type: 'reset', conversation: saved },
    ]);
  });

  test('takes what arrives after the answer to a load as live if it is at work', () => {
    const target = (...events: SessionEvent[]) =>
      play('response', load, ...events, loaded).state.historyTarget;
    expect(target()).toBe('replay');
    expect(target(prompt('p1'))).toBe('live');
    expect(target(request('r1', null))).toBe('live');
    expect(target(prompt('p1'), request('r1', null))).toBe('live');
  });

  test('takes what arrives during a load as history, also after a prompt', () => {
    expect(play('response', load, prompt('p1')).state.historyTarget).toBe('replay');
    expect(play('response', load, request('r1', null)).state.historyTarget).toBe('replay');
  });

  test('skips the rest of an abandoned load until the agent answers it', () => {
    const rest = [load, loadAbandoned, update({ sessionUpdate: 'replay_complete' })];
    expect(play('state_update', ...rest).state.historyTarget).toBe('skip');
    expect(play('state_update', ...rest, { type: 'late_answer' }).state.historyTarget).toBe('live');
  });

  test.each<AnyUpdate>([
    { sessionUpdate: 'plan', entries: [] },
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'x1', data: '' },
    { sessionUpdate: 'terminal_output_reported', terminalId: 'x1', data: '' },
    {
      sessionUpdate: 'tool_call_content_chunk',
      toolCallId: 't1',
      content: { type: 'content', content: text('') },
    },
    { sessionUpdate: 'session_message_chunk', messageId: 'm1', content: text('') },
    { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c1', content: text('') },
  ])('skips $sessionUpdate in the rest of an abandoned load', (skipped) => {
    expect(play('response', load, loadAbandoned, update(skipped)).effects).toEqual([]);
  });

  test('does not skip its settings in the rest of an abandoned load', () => {
    const commands: AnyUpdate = { sessionUpdate: 'available_commands_update', availableCommands: [] };
    expect(folds(play('response', load, loadAbandoned, update(commands)).effects)).toEqual([commands]);
  });

  describe('that is resumed with a transcript', () => {
    const shown = foldUpdates(emptyConversation('s1'), [
      { sessionUpdate: 'agent_message', messageId: 'm1', content: [text('Yes.')] },
    ]);
    const resume: SessionEvent = { type: 'reopen', mode: 'keep', shown };

    test('collects what is replayed, also when an earlier load is answered late', () => {
      expect(play('response', resume).state.historyTarget).toBe('collect');
      expect(play('response', resume, { type: 'late_answer' }).state.historyTarget).toBe('collect');
    });

    test('ends no request when the replay repeats the end of its tool call', () => {
      const { effects } = play('response', request('r1', 't1'), resume, toolCallUpdate('t1', 'completed'));
      expect(effects.map(({ type }) => type)).toEqual(['collect']);
    });
  });

  describe('whose load failed', () => {
    const ended = [prompt('p1'), answered('p1', { stopReason: 'end_turn' })];

    test('shows the end of the last turn again after a request during the load', () => {
      const asked = [load, request('r1', null), { type: 'request_answered', id: 'r1' } as const];
      const { effects } = play('response', ...ended, ...asked, loadFailed);
      expect(folds(effects)).toMatchObject([
        { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' },
      ]);
    });

    test('does not show again what it shows already', () => {
      const asked = [load, request('r1', 't1'), request('r2', 't2')];
      expect(play('response', ...ended, ...asked, loadFailed).effects).toEqual([{ type: 'restore' }]);
    });
  });

  test('takes what arrives during a resume as live while a prompt is open, and as history otherwise', () => {
    const shown = emptyConversation('s1');
    const reopen: SessionEvent = { type: 'reopen', mode: 'keep', shown };
    expect(play('response', prompt('p1'), reopen).state.historyTarget).toBe('live');
    expect(play('state_update', reported('running'), reopen).state.historyTarget).toBe('live');
    expect(play('response', reopen).state.historyTarget).toBe('replay');
  });
});

describe('a turn', () => {
  test.each([
    ['fails', (key: string) => failed(key)],
    ['is abandoned', abandoned],
  ])('that %s ends no other', (_, event) => {
    expect(settled(play('response', prompt('p1'), prompt('p2'), event('p2')).effects)).toEqual(['p2']);
  });

  test('is abandoned after another one', () => {
    const events = [prompt('p1'), prompt('p2'), abandoned('p1'), abandoned('p2')];
    expect(settled(play('response', ...events).effects)).toEqual(['p2']);
    expect(play('response', ...events, abandoned('p1')).effects).toEqual([]);
  });

  test('that fails leaves an entry with the words of the agent alone', () => {
    expect(folds(play('response', prompt('p1'), failed('p1')).effects)).toContainEqual({
      sessionUpdate: 'turn_failed',
      cause: 'failed',
      reason: 'Too many.',
      code: 429,
    });
  });

  test('that fails leaves the error in the activity until the next turn', () => {
    const activityAfter = (data: object) => {
      const event = failed('p1', { code: 429, message: 'session/prompt: …', reason: 'Too many.', ...data });
      return stateUpdates(play('response', prompt('p1'), event).effects);
    };
    const error = { code: 429, message: 'Too many.' };
    const shown = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'error' };
    expect(activityAfter({})).toStrictEqual([{ ...shown, error }]);
    expect(activityAfter({ data: { wait: 1 } })).toStrictEqual([
      { ...shown, error: { ...error, data: { wait: 1 } } },
    ]);
  });

  test('has begun when the agent works while no other is open', () => {
    const begun = (...events: SessionEvent[]) =>
      play('response', ...events).state.turns.map(({ hasBegun }) => hasBegun);
    expect(begun(prompt('p1'))).toEqual([false]);
    expect(begun(prompt('p1'), says)).toEqual([true]);
    expect(begun(prompt('p1'), prompt('p2'), says)).toEqual([false, false]);
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
    ['unknown', [prompt('p1'), prompt('p2'), says]],
    ['begun', [prompt('p1'), says]],
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

  test.each<[name: string, ends: readonly string[], events: readonly SessionEvent[]]>([
    ['an idle state before the agent has begun it', [], [first, reported('idle')]],
    ['an idle state before the agent has begun one of two', [], [first, running, second, reported('idle')]],
    ['an idle state if the agent has begun it', ['p1'], [first, running, says, idle]],
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
  });

  test('gets the ids of reported messages in the order of the prompts', () => {
    const { state } = play(
      'state_update',
      prompt('p1'),
      prompt('p2'),
      update({ sessionUpdate: 'user_message_chunk', content: text('Go.') }),
      userMessage('u1'),
      userMessage('u1'),
      userMessage('u2'),
    );
    expect(state.turns.map(({ messageId }) => messageId)).toEqual(['u1', 'u2']);
  });

  test('remembers each reported message once, and only while a prompt is open', () => {
    const idsAfter = (...events: SessionEvent[]) => {
      const ids: string[] = [];
      let report = play('state_update', ...events).state.reportedMessages;
      for (; report; report = report.earlier) ids.push(report.messageId);
      return ids;
    };
    expect(idsAfter(userMessage('u1'))).toEqual([]);
    const unnamed = update({ sessionUpdate: 'user_message_chunk', messageId: null, content: text('Go.') });
    expect(idsAfter(prompt('p1'), unnamed)).toEqual([]);
    expect(idsAfter(prompt('p1'), userMessage('u1'), userMessage('u1'))).toEqual(['u1']);
    expect(idsAfter(prompt('p1'), userMessage('u1'), userMessage('u2'))).toEqual(['u2', 'u1']);
  });

  test('gets a steered message when the agent reports a message of the user, not one of its own', () => {
    const steered: SessionEvent = {
      type: 'steered',
      id: 'q1',
      content: [text('Wait.')],
      isNaming: false,
      send: nothing,
      skip: nothing,
    };
    const waiting = (...events: readonly SessionEvent[]) =>
      play('state_update', prompt('p1'), userMessage('u1'), steered, ...events).state.pending.map(
        ({ id }) => id,
      );
    expect(waiting(says)).toEqual(['q1']);
    expect(waiting(says, userMessage('u2'))).toEqual([]);
  });

  test('ends with the answer to the prompt if that has a stop reason', () => {
    expect(settled(play('state_update', prompt('p1'), answered('p1', {})).effects)).toEqual([]);
    const { effects } = play('state_update', prompt('p1'), answered('p1', { stopReason: 'end_turn' }));
    expect(settled(effects)).toEqual(['p1']);
  });

  test('gets the id of a reported message only if no other open prompt has it', () => {
    const { state } = play(
      'state_update',
      prompt('p1'),
      answered('p1', { messageId: 'u1' }),
      prompt('p2'),
      userMessage('u1'),
    );
    expect(state.turns.map(({ messageId }) => messageId)).toEqual(['u1', null]);
  });
});

describe('a request of the agent', () => {
  test.each<[name: string, requests: readonly SessionEvent[]]>([
    ['two forms of one tool call', [request('r1', 't1', 'elicitation'), request('r2', 't1', 'elicitation')]],
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
  ])('that is %s leaves the others', (reason, event) => {
    const { effects } = play('response', prompt('p1'), request('r1', 't1'), request('r2', 't2'), event);
    expect(answers(effects)).toEqual([['r2', reason]]);
  });

  test.each(['pending', 'in_progress', 'unheard-of'])('stays while its tool call is %s', (status) => {
    const { effects } = play('response', prompt('p1'), request('r1', 't1'), toolCallUpdate('t1', status));
    expect(answers(effects)).toEqual([]);
  });

  test('is asked after the agent became idle from a cancellation', () => {
    const events = [prompt('p1'), reported('running'), cancel, reported('idle', { stopReason: 'cancelled' })];
    const { effects } = play('state_update', ...events, request('r1', null));
    expect(effects).toContainEqual({ type: 'ask', id: 'r1' });
    expect(answers(effects)).toEqual([]);
  });

  test('is not of work in the background if that is no tool call', () => {
    const background = [{ type: 'subagent', toolCallId: 't9', sessionId: 's2' }];
    const atWork = [reported('running', { background }), request('r1', 't9')];
    expect(answers(play('state_update', ...atWork, cancel).effects)).toEqual([['r1', 'cancelled']]);
  });

  test('takes the place of an older one about the same tool call, whose permission is replaced', () => {
    const { effects } = play('response', prompt('p1'), request('r1', 't1'), request('r2', 't1'));
    expect(answers(effects)).toEqual([['r1', 'superseded']]);
    expect(permissionUpdates(effects)).toEqual([permission]);
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

  test('is answered after a cancellation while only another request was open', () => {
    const { effects } = play('state_update', request('r1', null), cancel, request('r2', null));
    expect(answers(effects)).toEqual([['r2', 'cancelled']]);
  });

  test('is answered until the last of the cancelled turns of version 1 has ended', () => {
    const open = [prompt('p1'), prompt('p2'), cancel, answered('p1', { stopReason: 'cancelled' })];
    expect(answers(play('response', ...open, request('r1', null)).effects)).toEqual([['r1', 'cancelled']]);
    const ended = [...open, answered('p2', { stopReason: 'cancelled' })];
    expect(answers(play('response', ...ended, request('r1', null)).effects)).toEqual([]);
  });

  test('of work in the background survives a cancellation, until the agent reports that there is none', () => {
    const background = [{ type: 'tool_call', toolCallId: 't9' }];
    const atWork = [reported('running', { background }), request('r1', 't9')];
    expect(answers(play('state_update', ...atWork, reported('running'), cancel).effects)).toEqual([]);
    const none = reported('running', { background: null });
    expect(answers(play('state_update', ...atWork, none, cancel).effects)).toEqual([['r1', 'cancelled']]);
  });
});
