import { expect, test } from 'vitest';
import { flush, openSession } from '../../support/open-session.ts';

const step = (content: string) => ({ content, priority: 'medium', status: 'pending' });
const items = (planId: string, ...contents: string[]) => ({
  sessionUpdate: 'plan_update',
  plan: { type: 'items', planId, entries: contents.map(step) },
});

test('[48] v2 a plan replaces the one with its id, at its index', async () => {
  const { agent, conversation } = await openSession('v2-baseline');
  agent.update('s1', items('a', '1', '2'), items('b', '3'), items('a', '4'));
  await flush(agent);
  expect(conversation().plans).toEqual([
    { planId: 'a', type: 'items', entries: [step('4')] },
    { planId: 'b', type: 'items', entries: [step('3')] },
  ]);
  agent.update(
    's1',
    { sessionUpdate: 'plan_removed', planId: 'a' },
    { sessionUpdate: 'plan_removed', planId: 'z' },
  );
  await flush(agent);
  expect(conversation().plans).toEqual([{ planId: 'b', type: 'items', entries: [step('3')] }]);
});

test('[48,54] v2 the plan update of version 1 is kept as unknown', async () => {
  const { agent, conversation } = await openSession('v2-baseline');
  const old = { sessionUpdate: 'plan', entries: [step('a')] };
  agent.update('s1', old);
  await flush(agent);
  expect(conversation().plans).toEqual([]);
  expect(conversation().entries).toMatchObject([{ kind: 'unknown', tag: 'plan', raw: old }]);
});
