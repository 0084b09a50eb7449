import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/core/client/session/machine/events.ts';
import {
  initialState,
  type SessionStatus,
  statusOf,
  type TurnRules,
} from '../../../src/core/client/session/machine/state.ts';
import { emptyConversation, foldUpdates } from '../../../src/core/conversation/fold.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { text } from '../../support/agents.ts';
import {
  answered,
  answers,
  cancel,
  close,
  closeFailed,
  end,
  foldedKinds,
  folds,
  load,
  loadAbandoned,
  loaded,
  loadFailed,
  lost,
  opened,
  permissionUpdates,
  play,
  prompt,
  reported,
  request,
  sent,
  stateUpdates,
  toolCallUpdate,
  update,
} from './machine.ts';

const interrupted = { sessionUpdate: 'turn_failed', cause: 'interrupted', reason: 'It exited.' };

describe('a session', () => {
  test.each<[status: SessionStatus, rules: TurnRules, events: readonly SessionEvent[]]>([
    ['idle', 'response', []],
    ['replaying', 'response', [load]],
    ['running', 'response', [prompt('p1')]],
    ['running', 'state_update', [reported('running')]],
    ['requires_action', 'response', [request('r1', null)]],
    ['requires_action', 'response', [prompt('p1'), request('r1', null)]],
    ['closing', 'response', [prompt('p1'), close]],
    ['interrupted', 'response', [lost]],
    ['closing', 'response', [close, lost]],
    // A call that opens it is answered while it is being closed.
    ['closing', 'response', [close, opened]],
    ['idle', 'response', [close, opened, closeFailed]],
    // An earlier call that closes it fails.
    ['interrupted', 'response', [close, close, closeFailed, lost, closeFailed]],
  ])('has the status %s (%s, %#)', (status, rules, events) => {
    expect(statusOf(play(rules, ...events).state)).toBe(status);
  });

  test('has the status opening until the agent answers', () => {
    expect(statusOf(initialState())).toBe('opening');
  });

  test('shows what the agent answered when it was opened, and nothing else', () => {
    const modes = { availableModes: [], currentModeId: 'ask' };
    const models = { availableModels: [], currentModelId: 'small' };
    const commands = [{ type: 'command' as const, name: 'plan', description: 'Plans.', input: null }];
    const all = { _meta: { a: 1 }, modes, models, configOptions: [], commands };
    const { effects } = play('state_update', { type: 'opened', opened: all, mayReplayOn: false });
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
    const called = (...events: SessionEvent[]) =>
      sent(play('response', prompt('p1'), ...events, cancel).effects);
    expect(called()).toEqual([['send', 'cancel']]);
    expect(called(close)).toEqual([['skip', 'cancel']]);
    expect(called(lost)).toEqual([['skip', 'cancel']]);
    expect(called(close, lost)).toEqual([['skip', 'cancel']]);
  });

  test('leaves work that goes on alone when there is nothing to cancel any more', () => {
    const late = play('state_update', close, cancel);
    expect(foldedKinds(late.effects)).toEqual([]);
    expect(late.state.isCancelling).toBe(false);
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
    expect(state).toMatchObject({ reported: 'idle', background: [] });
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

  test('has no request, nothing unfinished and nothing to cancel when its agent ends', () => {
    const { state, effects } = play('state_update', reported('running'), cancel, lost);
    expect(foldedKinds(effects)).toContain('unfinished_cancelled');
    expect(state.isCancelling).toBe(false);
    const asked = play('response', request('r1', 't1'), lost);
    expect([answers(asked.effects), permissionUpdates(asked.effects)]).toEqual([[['r1', 'closed']], [null]]);
    expect(foldedKinds(asked.effects)).toEqual(['permission_update', 'unfinished_cancelled', 'state_update']);
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

  const shown = foldUpdates(emptyConversation('s1'), [
    { sessionUpdate: 'agent_message', messageId: 'm1', content: [text('Yes.')] },
  ]);
  const resume: SessionEvent = { type: 'reopen', mode: 'keep', shown };
  const reopen: SessionEvent = { type: 'reopen', mode: 'keep', shown: emptyConversation('s1') };
  const late: SessionEvent = { type: 'late_answer' };
  const asked = request('r1', null);
  const rest = [load, loadAbandoned, update({ sessionUpdate: 'replay_complete' })];

  test.each<[is: string, when: string, rules: TurnRules, events: readonly SessionEvent[]]>([
    ['loading', 'during a load, after a prompt', 'response', [load, prompt('p1')]],
    ['loading', 'during a load, after a request', 'response', [load, asked]],
    ['replay', 'after the answer to a load', 'response', [load, loaded]],
    ['live', 'after it during a turn', 'response', [load, prompt('p1'), loaded]],
    ['live', 'after it during a request', 'response', [load, asked, loaded]],
    ['live', 'after it during both', 'response', [load, prompt('p1'), asked, loaded]],
    ['skip', 'after an abandoned load', 'state_update', rest],
    ['live', 'after the late answer to it', 'state_update', [...rest, late]],
    // An agent that works on a prompt does not replay any more.
    ['live', 'after an abandoned load and a prompt', 'state_update', [...rest, prompt('p1')]],
    // An agent that has refused a load replays no more of it.
    ['live', 'after a load that was refused', 'state_update', [load, loadFailed]],
    ['replay', 'during a resume', 'response', [reopen]],
    ['live', 'during a resume with an open prompt', 'response', [prompt('p1'), reopen]],
    ['live', 'during a resume at work', 'state_update', [reported('running'), reopen]],
    ['collect', 'during a resume with a transcript', 'response', [resume]],
    ['collect', 'during it, after a late answer to a load', 'response', [resume, late]],
  ])('takes as %s what arrives %s', (is, _, rules, events) => {
    expect(play(rules, ...events).state.history.is).toBe(is);
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

  test('ends no request when the replay of a resume repeats the end of its tool call', () => {
    const { effects } = play('response', request('r1', 't1'), resume, toolCallUpdate('t1', 'completed'));
    expect(effects.map(({ type }) => type)).toEqual(['fold_history']);
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
      expect(play('response', ...ended, ...asked, loadFailed).effects).toEqual([
        { type: 'stores', change: 'restore' },
      ]);
    });
  });
});
