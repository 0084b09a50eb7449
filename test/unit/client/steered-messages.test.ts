import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/core/client/session/machine/events.ts';
import type { TurnRules } from '../../../src/core/client/session/machine/state.ts';
import { text } from '../../support/agents.ts';
import { outline } from '../../support/open-session.ts';
import {
  answered,
  load,
  loaded,
  lost,
  play,
  prompt,
  reported,
  says,
  steered,
  update,
  userMessage,
} from './machine.ts';

/** The agent has the message, and names it or not. */
const accepted = (messageId: string | null, id = 'q1'): SessionEvent => ({
  type: 'steer_accepted',
  id,
  messageId,
});
const reports = (messageId: string, said: string) =>
  update({ sessionUpdate: 'user_message_chunk', messageId, content: text(said) });
const named = steered('q1', { isNaming: true });
const unnamed = steered('q1', { isNaming: false });
const running = reported('running');
const idle = reported('idle', { stopReason: 'end_turn' });

/** A turn of version 2 in which the agent has spoken, and what the conversation shows then. */
const begun = [prompt('p1'), answered('p1', { messageId: 'u1' }), userMessage('u1'), running, says];
const shown = ['user: Go.', 'agent: Yes.'];
const message = 'user: Steered q1.';

/** What waits, and what the conversation shows. */
function outcome(rules: TurnRules, events: readonly SessionEvent[]) {
  const { state, conversation } = play(rules, ...events);
  return [state.pending.map(({ id, state: waits }) => `${id} ${waits}`), outline(conversation)];
}

type Row = readonly [
  name: string,
  events: readonly SessionEvent[],
  waiting: readonly string[],
  transcript: readonly string[],
];

describe('a message that is steered into a turn of version 2', () => {
  test.each<Row>([
    ['the turn did not take it', [...begun, named, accepted('u9'), idle], ['q1 accepted'], shown],
    [
      'the turn did not take it and the agent reports it later',
      [...begun, named, accepted('u9'), idle, reports('u9', 'Steered q1.')],
      [],
      [...shown, message],
    ],
    [
      'it is reported before the prompt',
      [
        prompt('p1'),
        running,
        named,
        accepted('u9'),
        reports('u9', 'Steered q1.'),
        reports('u1', 'Go.'),
        says,
      ],
      [],
      ['user: Go.', message, 'agent: Yes.'],
    ],
    [
      'it is reported before its answer, and twice',
      [
        ...begun,
        named,
        reports('u9', 'Steered q1.'),
        accepted('u9'),
        userMessage('u9'),
        idle,
        userMessage('u9'),
      ],
      [],
      [...shown, 'user: Go.'],
    ],
    [
      'it is reported without an id of its own before its answer',
      [...begun, unnamed, reports('u9', 'Steered q1.'), accepted(null), idle],
      [],
      [...shown, message],
    ],
    ['its answer comes after the turn', [...begun, named, idle, accepted('u9')], ['q1 accepted'], shown],
    [
      'its answer comes after its report and after the turn',
      [...begun, named, reports('u9', 'Steered q1.'), idle, accepted('u9')],
      [],
      [...shown, message],
    ],
    [
      'the prompt is reported late',
      [prompt('p1'), running, unnamed, reports('u1', 'Go.')],
      ['q1 sending'],
      ['user: Go.'],
    ],
    [
      'two are reported in their order',
      [
        ...begun,
        unnamed,
        steered('q2', { isNaming: false }),
        accepted(null),
        accepted(null, 'q2'),
        reports('u8', 'First.'),
        reports('u9', 'Second.'),
      ],
      [],
      [...shown, 'user: First.', 'user: Second.'],
    ],
    [
      'the agent ends',
      [...begun, unnamed, accepted(null), lost],
      [],
      [...shown, 'interrupted: It exited.', message],
    ],
  ])('is there once where %s', (_, events, waiting, transcript) => {
    expect(outcome('state_update', events)).toEqual([waiting, transcript]);
  });

  test('does not keep the queue waiting when the turn did not take it', () => {
    const queued: SessionEvent = { type: 'queued', id: 'q2', content: [text('Next.')] };
    const { effects } = play('state_update', ...begun, named, accepted('u9'), idle, queued);
    expect(effects).toContainEqual({ type: 'send_queued', id: 'q2' });
  });
});

describe('a message that is steered into a turn of version 1', () => {
  test.each<Row>([
    [
      'the agent repeats the prompt first',
      [prompt('p1'), unnamed, accepted(null), reports('u1', 'Go!'), reports('u9', 'Steered!'), says],
      [],
      ['user: Go!', 'user: Steered!', 'agent: Yes.'],
    ],
    [
      'the agent ends',
      [prompt('p1'), says, unnamed, accepted(null), lost],
      [],
      [...shown, message, 'interrupted: It exited.'],
    ],
  ])('is there once where %s', (_, events, waiting, transcript) => {
    expect(outcome('response', events)).toEqual([waiting, transcript]);
  });

  test.each(['response', 'state_update'] as const)(
    'waits on when the agent reports the open prompts first (%s)',
    (rules) => {
      const open = [prompt('p1'), prompt('p2'), unnamed, reports('u1', 'One.'), reports('u2', 'Two.')];
      expect(outcome(rules, open)).toEqual([['q1 sending'], ['user: One.', 'user: Two.']]);
      const all = [...open, reports('u9', 'Steered.')];
      expect(outcome(rules, all)).toEqual([[], ['user: One.', 'user: Two.', 'user: Steered.']]);
    },
  );

  test('is not taken for a message of a history', () => {
    const waiting = (...events: readonly SessionEvent[]) =>
      outcome('response', [prompt('p1'), unnamed, ...events])[0];
    expect(waiting(load, reports('u0', 'Long ago.'), loaded)).toEqual(['q1 sending']);
    const resume: SessionEvent = {
      type: 'reopen',
      mode: 'keep',
      shown: play('response', prompt('p1')).conversation,
    };
    const ended = answered('p1', { stopReason: 'end_turn' });
    expect(waiting(ended, resume, reports('u0', 'Long ago.'))).toEqual(['q1 sending']);
  });
});
