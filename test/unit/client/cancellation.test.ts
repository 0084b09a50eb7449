import { describe, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../support/open-session.ts';

/** Collects the rejections that nothing handles, until the test is over. */
function unhandledRejections(): readonly unknown[] {
  const unhandled: unknown[] = [];
  const take = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', take);
  onTestFinished(() => {
    process.off('unhandledRejection', take);
  });
  return unhandled;
}

describe.each(['v2-markers', 'v2-baseline'] as const)('cancel that a listener calls, in %s', (dialect) => {
  /** A session that is cancelled when its agent reports that it works, inside of the listener. */
  async function cancelledWhenRunning(before: (agent: { readonly closeInput: () => void }) => void) {
    const opened = await openSession(dialect, { script: (agent) => agent.on('session/cancel', () => {}) });
    const { agent, session } = opened;
    const outcome = new Promise<unknown>((resolve) => {
      session.onUpdate((event) => {
        if (event.type !== 'fields' || event.changed.activity?.state !== 'running') return;
        before(agent.channel);
        session.cancel().then(
          () => resolve({ sent: agent.calls('session/cancel').length }),
          (error: unknown) => resolve(error),
        );
      });
    });
    agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
    return outcome;
  }

  test('resolves when the cancellation was sent', async () => {
    expect(await cancelledWhenRunning(() => {})).toEqual({ sent: 1 });
  });

  test('rejects if the cancellation cannot be sent, and leaves no rejection unhandled', async () => {
    const unhandled = unhandledRejections();
    const outcome = await cancelledWhenRunning((channel) => channel.closeInput());
    expect(outcome).toMatchObject({ code: 'connection.closed', method: 'session/cancel' });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(unhandled).toEqual([]);
  });
});
