import { describe, expect, test } from 'vitest';
import {
  answeredCall,
  idOf,
  methodOf,
  namedSession,
  openedSession,
  sessionInUpdate,
  withdrawnCall,
} from '../../../../src/transport/http/routes.ts';

const kind = 'subagent_update';
const update = (given: unknown) => ({ params: { update: given } });

describe('of a message is read', () => {
  test.each<[string, () => unknown, unknown]>([
    ['the id', () => idOf({ id: 'a' }), 'a'],
    ['no id of another kind', () => idOf({ id: {} }), undefined],
    ['the method', () => methodOf({ method: 'x' }), 'x'],
    ['no method of another kind', () => methodOf({ method: 5 }), undefined],
    ['the call that an answer answers', () => answeredCall({ id: 1, result: {} }), 1],
    ['no call that a request of the agent answers', () => answeredCall({ id: 1, method: 'x' }), undefined],
    ['no call that something else answers', () => answeredCall([1]), undefined],
    ['the session that its parameters name', () => namedSession({ params: { sessionId: 's1' } }), 's1'],
    ['no session that is not text', () => namedSession({ params: { sessionId: 5 } }), undefined],
    ['no session without parameters', () => namedSession({}), undefined],
    ['no session that no header can carry', () => namedSession({ params: { sessionId: 'a b' } }), undefined],
    ['no session of no length', () => namedSession({ params: { sessionId: '' } }), undefined],
    [
      'the longest session',
      () => namedSession({ params: { sessionId: 'x'.repeat(1024) } }),
      'x'.repeat(1024),
    ],
    ['no longer one', () => namedSession({ params: { sessionId: 'x'.repeat(1025) } }), undefined],
    ['the session that an answer opens', () => openedSession({ result: { sessionId: 's1' } }), 's1'],
    [
      'the call that it withdraws',
      () => withdrawnCall({ method: 'stop', params: { requestId: 1 } }, 'stop'),
      1,
    ],
    ['none if it has no parameters', () => withdrawnCall({ method: 'stop' }, 'stop'), undefined],
    [
      'none if it is another',
      () => withdrawnCall({ method: 'x', params: { requestId: 1 } }, 'stop'),
      undefined,
    ],
    [
      'the subagent that it announces',
      () => sessionInUpdate(update({ sessionUpdate: kind, sessionId: 's2' }), kind),
      's2',
    ],
    [
      'none in another update',
      () => sessionInUpdate(update({ sessionUpdate: 'x', sessionId: 's2' }), kind),
      undefined,
    ],
    ['none in no update', () => sessionInUpdate(update(undefined), kind), undefined],
    ['none in no parameters', () => sessionInUpdate({}, kind), undefined],
  ])('%s', (_, read, expected) => {
    expect(read()).toBe(expected);
  });
});
