import { describe, expect, test, vi } from 'vitest';
import { Barriers } from '../../../../src/core/transport/http/barriers.ts';
import { stopClock } from '../../../support/timed-acp-server.ts';

const [first, second] = [{ answer: 1 }, { answer: 2 }];

/** Barriers whose clock stands still, and what they cause. */
function open() {
  stopClock();
  const asked: (readonly [id: string, sessionId: string])[] = [];
  const released: object[] = [];
  const reasons: string[] = [];
  const barriers = new Barriers({
    ask: (...request) => asked.push(request),
    release: (message) => released.push(message),
    onUnordered: (reason) => reasons.push(reason),
  });
  /** The id of the request that was sent for the nth barrier. */
  const id = (at: number) => asked[at]?.[0];
  return { barriers, asked, id, released, reasons };
}

const pass = (ms: number) => void vi.advanceTimersByTime(ms);

describe('an answer that is held', () => {
  test('comes when each of its sessions has answered on its own stream', () => {
    const { barriers, asked, id, released, reasons } = open();
    barriers.hold(first, ['s1', 'sub']);
    barriers.hold(second, ['s2']);
    expect(asked).toEqual([
      ['acp-client-sdk-sync-1', 's1'],
      ['acp-client-sdk-sync-2', 'sub'],
      ['acp-client-sdk-sync-3', 's2'],
    ]);
    expect(barriers.takeAnswer(id(0), 's1')).toEqual([]);
    expect(barriers.takeAnswer(id(1), 'sub')).toEqual([first]);
    expect(barriers.takeAnswer(id(2), 's2')).toEqual([second]);
    expect(vi.getTimerCount()).toBe(0);
    expect([released, reasons]).toEqual([[], []]);
  });

  test('comes when its own session has brought nothing for two seconds, and the server is not asked again', () => {
    const { barriers, asked, released, reasons } = open();
    barriers.hold(first, ['s1']);
    pass(1999);
    barriers.arrived('s1');
    pass(1000);
    barriers.arrived('s2');
    pass(999);
    expect(released).toEqual([]);
    pass(1);
    expect(released).toEqual([first]);
    expect(reasons).toEqual(['the agent did not answer within 2000 ms']);
    barriers.hold(second, ['s1']);
    expect(asked).toHaveLength(1);
  });

  test('waits on in a process that was busy for two seconds: what has arrived meanwhile is read first', () => {
    const { barriers, id, released } = open();
    barriers.hold(first, ['s1']);
    // However late it is.
    vi.advanceTimersToNextTimer();
    expect(released).toEqual([]);
    expect(barriers.takeAnswer(id(0), 's1')).toEqual([first]);
  });

  test('comes after 30 seconds if its session is never silent', () => {
    const { barriers, released } = open();
    barriers.hold(first, ['s1']);
    for (let second = 1; second < 30; second++) {
      pass(1000);
      barriers.arrived('s1');
    }
    pass(999);
    expect(released).toEqual([]);
    pass(1);
    expect(released).toEqual([first]);
  });
});

describe('a server without an order', () => {
  test('answers on another stream: each answer waits until its session is silent for a moment', () => {
    const { barriers, id, released, reasons } = open();
    barriers.hold(first, ['s1']);
    barriers.hold(second, ['s2']);
    pass(1000);
    expect(barriers.takeAnswer(id(0), undefined)).toEqual([]);
    expect(barriers.takeAnswer(id(1), 's1')).toEqual([]);
    expect(reasons).toEqual(['its answers to calls of a session come on another stream than its messages']);
    // They have waited for a second, which is the longest time without an order.
    pass(0);
    expect(released).toEqual([first, second]);
  });

  test('refuses the calls: an answer waits for silence of 100 ms, and not longer than one second', () => {
    const { barriers, id, released, reasons } = open();
    barriers.hold(first, ['s1']);
    barriers.refused(id(0) ?? '');
    expect(reasons).toEqual(['it refuses calls that it does not know']);
    pass(99);
    expect(released).toEqual([]);
    pass(1);
    expect(released).toEqual([first]);
    barriers.hold(second, ['s1']);
    for (let time = 0; time < 10; time++) {
      pass(99);
      barriers.arrived('s1');
    }
    expect(released).toEqual([first]);
    pass(10);
    expect(released).toEqual([first, second]);
    expect(reasons).toHaveLength(1);
  });
});
