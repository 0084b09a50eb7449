import { describe, expect, test } from 'vitest';
import { sessionMethods } from '../../../../src/protocol/session-methods.ts';
import { OpenCalls } from '../../../../src/transport/http/open-calls.ts';

const message = (id: number | undefined, method: string, params: object = { sessionId: 's1' }) => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  method,
  params,
});

/** The calls of these methods, with the ids 1, 2, and so on. */
function open(...methods: readonly string[]) {
  const calls = new OpenCalls(sessionMethods);
  const added = methods.map((method, at) => calls.add(message(at + 1, method)));
  const succeed = (id: number) => {
    const call = calls.take(id);
    if (call) calls.succeeded(call, 's1');
  };
  return { calls, added, succeed };
}

test('a call is open until it is taken, and a notification is no call', () => {
  const { calls, added } = open('session/prompt');
  expect(added).toEqual([
    { id: 1, method: 'session/prompt', sessionId: 's1', session: undefined, isReplay: false },
  ]);
  expect(calls.add(message(undefined, 'session/cancel'))).toBeUndefined();
  expect(calls.take(undefined)).toBeUndefined();
  expect([calls.has(1), calls.take(1)?.method, calls.has(1), calls.take(1)]).toEqual([
    true,
    'session/prompt',
    false,
    undefined,
  ]);
});

test('a call can ask for the history of its session', () => {
  expect(open('session/load', 'session/resume').added.map((call) => call?.isReplay)).toEqual([true, false]);
});

test('a method that every object has is unknown', () => {
  expect(open('toString').added).toMatchObject([{ method: 'toString', session: undefined, isReplay: false }]);
});

describe('the messages with which the order of a message counts', () => {
  test.each<[string, object, string]>([
    ['those of its session', message(7, 'session/prompt'), 's1'],
    ['those of the connection', message(7, 'session/list', {}), ''],
    ['those of the call that it withdraws', message(undefined, '$/cancel_request', { requestId: 1 }), 's1'],
    ['of one without a session', message(undefined, '$/cancel_request', { requestId: 2 }), ''],
    ['of one that is over', message(undefined, '$/cancel_request', { requestId: 3 }), ''],
  ])('are %s', (_, sent, row) => {
    const { calls } = open('session/prompt');
    calls.add(message(2, 'session/list', {}));
    expect(calls.rowOf(sent)).toBe(row);
  });
});

describe('a session', () => {
  test('belongs to the connection from its opening to its end', () => {
    const { calls, succeed } = open('session/set_mode', 'session/load', 'session/close');
    const attached = [1, 2, 3].map((id) => {
      succeed(id);
      return calls.isAttached('s1');
    });
    expect(attached).toEqual([false, true, false]);
  });

  test('is being attached while a call does so, and no other', () => {
    const { calls } = open('session/prompt');
    expect(calls.isAttaching('s1')).toBe(false);
    calls.add(message(2, 'session/resume'));
    expect(['s1', 's2'].map((sessionId) => calls.isAttaching(sessionId))).toEqual([true, false]);
  });

  test('that is detached has no calls any more, and others keep theirs', () => {
    const { calls, succeed } = open('session/load', 'session/prompt');
    succeed(1);
    calls.add(message(3, 'session/prompt', { sessionId: 's2' }));
    expect(calls.detach('s1').map(({ id }) => id)).toEqual([2]);
    expect([calls.isAttached('s1'), calls.has(2), calls.has(3)]).toEqual([false, false, true]);
  });
});
