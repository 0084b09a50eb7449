import { describe, expect, test } from 'vitest';
import {
  initialState,
  type SessionEffect,
  type SessionEvent,
  type SessionState,
  statusOf,
  type TurnRules,
} from '../../../src/client/session/state.ts';
import { transition } from '../../../src/client/session/transitions.ts';
import { emptyConversation } from '../../../src/conversation/fold.ts';
import type { ConversationUpdate } from '../../../src/model/update.ts';
import { text } from '../../support/agents.ts';

const setup = { cwd: '/project' };
const nothing = () => {};

const opened: SessionEvent = { type: 'opened', setup, opened: {}, mayReplayOn: false };
const close: SessionEvent = { type: 'close', send: nothing };
const cancel: SessionEvent = { type: 'cancel', send: nothing, skip: nothing };
const prompt = (key: string): SessionEvent => ({
  type: 'prompt',
  key,
  content: [text('Go.')],
  send: nothing,
});
const answered = (key: string, answer: object): SessionEvent => ({ type: 'prompt_answered', key, answer });
const update = (fields: ConversationUpdate): SessionEvent => ({ type: 'update', update: fields });
const userMessage = (messageId: string) =>
  update({ sessionUpdate: 'user_message', messageId, content: [text('Go.')] });
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

  test('takes what arrives during a resume as live while a prompt is open, and as history otherwise', () => {
    const shown = emptyConversation('s1');
    const reopen: SessionEvent = { type: 'reopen', mode: 'keep', shown };
    expect(play('response', prompt('p1'), reopen).state.historyTarget).toBe('live');
    expect(play('state_update', reported('running'), reopen).state.historyTarget).toBe('live');
    expect(play('response', reopen).state.historyTarget).toBe('replay');
  });
});

describe('a turn of version 2', () => {
  test('ends with the answer to the prompt if that has a stop reason', () => {
    expect(settled(play('state_update', prompt('p1'), answered('p1', {})).effects)).toEqual([]);
    const { effects } = play('state_update', prompt('p1'), answered('p1', { stopReason: 'end_turn' }));
    expect(settled(effects)).toEqual(['p1']);
  });

  test('ends with an idle state after the first report of its message, also if that is repeated later', () => {
    const { effects } = play(
      'state_update',
      prompt('p1'),
      prompt('p2'),
      userMessage('u1'),
      reported('running'),
      reported('idle', { stopReason: 'end_turn' }),
      userMessage('u2'),
      userMessage('u1'),
      answered('p1', { messageId: 'u1' }),
    );
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
