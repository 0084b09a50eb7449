import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StallWatch } from '../../src/client/stall-watch.ts';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { silence } from '../../src/testing/scripted-agent.ts';
import { text } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { flush, openSession } from '../support/open-session.ts';

describe('the watch', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('tells of silence once, and again after a sign of life', () => {
    const stalled = vi.fn();
    const watch = new StallWatch(1000, stalled);
    watch.start();
    vi.advanceTimersByTime(999);
    expect(stalled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_001);
    expect(stalled).toHaveBeenCalledTimes(1);
    watch.heard();
    vi.advanceTimersByTime(10_000);
    expect(stalled).toHaveBeenCalledTimes(2);
  });

  test('messages keep it quiet', () => {
    const stalled = vi.fn();
    const watch = new StallWatch(1000, stalled);
    watch.start();
    for (let n = 0; n < 20; n++) {
      vi.advanceTimersByTime(700);
      watch.heard();
    }
    expect(stalled).not.toHaveBeenCalled();
  });

  test('an agent that waits for an answer of ours is not silent', async () => {
    const stalled = vi.fn();
    const watch = new StallWatch(1000, stalled);
    let answer = () => {};
    watch.start();
    watch.serve(
      new Promise<void>((_, reject) => {
        answer = () => reject(new Error('no'));
      }),
    );
    vi.advanceTimersByTime(10_000);
    expect(stalled).not.toHaveBeenCalled();
    answer();
    await vi.advanceTimersByTimeAsync(1500);
    expect(stalled).toHaveBeenCalledTimes(1);
  });

  test('it looks only during a turn, and never if it is told so', () => {
    const stalled = vi.fn();
    const watch = new StallWatch(1000, stalled);
    watch.start();
    watch.start();
    watch.stop();
    new StallWatch(Number.POSITIVE_INFINITY, stalled).start();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each(['v1', 'v2-baseline'] as const)('a session tells of its silent agent (%s)', async (dialect) => {
  const stalls: Diagnostic[] = [];
  const told = () => stalls.filter(({ rule }) => rule === 'session.stalled');
  const { agent, session, connection } = await openSession(dialect, {
    script: (scripted) => scripted.on('session/prompt', () => silence),
    connect: { stallAfterMs: 20, onDiagnostic: (diagnostic) => stalls.push(diagnostic) },
  });
  const turn = session.prompt('Think.').catch((error: unknown) => error);
  await eventually(() => told()).toHaveLength(1);
  expect(told()[0]?.message).toContain('20 ms');
  agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Still here.') });
  await flush(agent);
  await eventually(() => told()).toHaveLength(2);
  await connection.close();
  expect(await turn).toMatchObject({ code: 'connection.closed' });
});
