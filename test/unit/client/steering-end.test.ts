import { expect, test } from 'vitest';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { openSession } from '../../support/open-session.ts';
import { stateUpdate } from '../../support/updates.ts';

test.each(dialectNames)(
  'in %s, a steered message that the agent does not answer rejects when its session is closed',
  async (dialect) => {
    const { agent, session } = await openSession(dialect, {
      script: (agent) =>
        agent
          .on('session/prompt', () => {
            if (dialect === 'v1') return noAnswer;
            agent.update('s1', stateUpdate('running'));
            return { messageId: 'u1' };
          })
          .on('session/inject', () => noAnswer)
          .on('_session/steering', () => noAnswer)
          .on('session/close', {}),
    });
    const running = session.prompt('One.');
    running.catch(() => {});
    await agent.called('session/prompt');
    await eventually(() => session.conversation.activity.state).toBe('running');
    const steered = session.steer('Two.');
    await eventually(() => session.conversation.pendingMessages?.length).toBe(1);
    await Promise.all([expect(steered).rejects.toThrow(/ended before the agent answered/), session.close()]);
    expect(session.conversation.pendingMessages).toBeUndefined();
  },
);
