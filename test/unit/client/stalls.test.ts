import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { delay } from '../../../src/base/wait.ts';
import type { PermissionOutcome } from '../../../src/client/requests/handlers.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { flush, openSession } from '../../support/open-session.ts';

/** Collects the stalls that a connection reports. */
function stallCollector() {
  const stalls: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic) => {
    if (diagnostic.rule === 'session.stalled') stalls.push(diagnostic);
  };
  return { stalls, onDiagnostic };
}

test.each(['v1', 'v2-baseline'] as const)(
  '[reliability: stalls] a silent agent is reported once, and again after its next message (%s)',
  async (dialect) => {
    const { stalls, onDiagnostic } = stallCollector();
    const { agent, session, connection } = await openSession(dialect, {
      script: (scripted) => scripted.on('session/prompt', () => noAnswer),
      connect: { stallAfterMs: 20, onDiagnostic },
    });
    const turn = session.prompt('Think.').catch((error: unknown) => error);
    await eventually(() => stalls).toHaveLength(1);
    expect(stalls[0]?.message).toContain('20 ms');
    await delay(60);
    expect(stalls).toHaveLength(1);
    agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Still here.') });
    await flush(agent);
    await eventually(() => stalls).toHaveLength(2);
    await connection.close();
    expect(await turn).toMatchObject({ code: 'connection.closed' });
  },
);

test('an agent that waits for the user is not reported', async () => {
  const { stalls, onDiagnostic } = stallCollector();
  let answer: (outcome: PermissionOutcome) => void = () => {};
  let countWhenAsked = -1;
  const { session, connection } = await openSession('v1', {
    script: (scripted) =>
      scripted.on('session/prompt', (_params, agent) => {
        agent.request('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId: 't1', title: 'Write' },
          options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
        });
        return noAnswer;
      }),
    handlers: {
      requestPermission: () => {
        countWhenAsked = stalls.length;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    },
    connect: { stallAfterMs: 20, onDiagnostic },
  });
  const turn = session.prompt('Write.').catch((error: unknown) => error);
  await eventually(() => countWhenAsked).toBeGreaterThanOrEqual(0);
  await delay(100);
  expect(stalls).toHaveLength(countWhenAsked);
  answer({ outcome: 'selected', optionId: 'yes' });
  await eventually(() => stalls.length).toBeGreaterThan(countWhenAsked);
  await connection.close();
  await turn;
});

test('a session without an open prompt, and an infinite stallAfterMs, report nothing', async () => {
  const { stalls, onDiagnostic } = stallCollector();
  const { session } = await openSession('v1', {
    script: (scripted) => scripted.on('session/prompt', { stopReason: 'end_turn' }),
    connect: { stallAfterMs: 10, onDiagnostic },
  });
  await session.prompt('Go.');
  const before = stalls.length;
  const endless = await openSession('v1', {
    script: (scripted) => scripted.on('session/prompt', () => noAnswer),
    connect: { stallAfterMs: Number.POSITIVE_INFINITY, onDiagnostic },
  });
  endless.session.prompt('Think.').catch(() => {});
  await delay(60);
  expect(stalls).toHaveLength(before);
});
