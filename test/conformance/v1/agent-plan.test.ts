import { expect, test } from 'vitest';
import { flush, openSession } from '../../support/open-session.ts';

const step = (content: string, status = 'pending') => ({ content, priority: 'medium', status });

test('[48] v1 a plan replaces the one before it', async () => {
  const { agent, conversation } = await openSession('v1');
  const plans = async (...entries: object[]) => {
    agent.update('s1', { sessionUpdate: 'plan', entries });
    await flush(agent);
    return conversation().plans;
  };
  expect(await plans(step('a'), step('b'))).toEqual([
    { planId: 'plan', type: 'items', entries: [step('a'), step('b')] },
  ]);
  expect(await plans(step('c', 'completed'))).toEqual([
    { planId: 'plan', type: 'items', entries: [step('c', 'completed')] },
  ]);
  const other = { planId: 'b', type: 'markdown', content: '# B' };
  agent.update('s1', { sessionUpdate: 'plan_update', plan: other });
  expect(await plans()).toEqual([{ planId: 'plan', type: 'items', entries: [] }, other]);
  expect(conversation().entries).toEqual([]);
});

test('[48] v1 a malformed entry is dropped, and unknown values in an entry are kept', async () => {
  const { agent, conversation } = await openSession('v1');
  const odd = { content: 'odd', priority: 'urgent', status: 'skipped' };
  agent.update('s1', { sessionUpdate: 'plan', entries: [step('a'), { content: 7 }, odd] });
  await flush(agent);
  expect(conversation().plans).toEqual([{ planId: 'plan', type: 'items', entries: [step('a'), odd] }]);
});
