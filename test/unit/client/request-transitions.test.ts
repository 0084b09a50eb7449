import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/core/client/session/machine/events.ts';
import {
  answered,
  answers,
  cancel,
  permission,
  permissionUpdates,
  play,
  prompt,
  reported,
  request,
  toolCallUpdate,
} from './machine.ts';

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
