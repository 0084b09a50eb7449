import { expect, test } from 'vitest';
import { flush, openSession } from '../../support/open-session.ts';

const step = { content: 'a', priority: 'medium', status: 'pending' };
test('[48,54] v2 the plan update of version 1 is kept as unknown', async () => {
  const { agent, conversation } = await openSession('v2-baseline');
  const old = { sessionUpdate: 'plan', entries: [step] };
  agent.update('s1', old);
  await flush(agent);
  expect(conversation().plans).toEqual([]);
  expect(conversation().entries).toMatchObject([{ kind: 'unknown', tag: 'plan', raw: old }]);
});
