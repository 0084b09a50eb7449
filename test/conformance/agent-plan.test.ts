import { describe, expect, test } from 'vitest';
import { deliver, openSession } from '../support/open-session.ts';

const step = { content: 'Read', priority: 'medium', status: 'pending' };
const checklist = { type: 'items', planId: 'a', entries: [step] };
const markdown = { type: 'markdown', planId: 'a', content: '# Plan\n\n1. Read', path: '/work/PLAN.md' };
const { path: _, ...withoutFile } = markdown;

/** A plan as it is sent, and as it is kept in place of a checklist with its id. */
const plans: readonly (readonly [kind: string, sent: object, kept: object])[] = [
  ['a list', { ...checklist, entries: [] }, { ...checklist, entries: [] }],
  ['a document in a file', markdown, markdown],
  [
    'a document in a file of Windows',
    { ...markdown, path: 'C:\\work\\a' },
    { ...markdown, path: 'C:\\work\\a' },
  ],
  ['a document without a file', withoutFile, withoutFile],
  ['a document whose file is null', { ...markdown, path: null }, withoutFile],
  ['an extension', { type: '_board', planId: 'a', columns: 3 }, { type: '_board', planId: 'a', columns: 3 }],
  [
    'a type without an underscore',
    { type: 'gantt', planId: 'a', bars: [1] },
    { type: 'gantt', planId: 'a', bars: [1] },
  ],
  [
    'a type of earlier schemas',
    { type: 'file', planId: 'a', uri: 'x' },
    { type: 'file', planId: 'a', uri: 'x' },
  ],
];

describe.each(['v1', 'v2-baseline'] as const)('in %s', (dialect) => {
  const open = async () => {
    const { agent, conversation, diagnostics } = await openSession(dialect);
    const send = async (...updates: object[]) => {
      await deliver(agent, ...updates);
      return conversation().plans;
    };
    const set = (plan: object) => ({ sessionUpdate: 'plan_update', plan });
    return { send, set, diagnostics };
  };

  test.each(plans)('[48] v1, v2 a plan replaces the one with its id: %s', async (_kind, sent, kept) => {
    const { send, set, diagnostics } = await open();
    expect(await send(set(checklist), set({ ...checklist, planId: 'b' }), set(sent))).toStrictEqual([
      kept,
      { ...checklist, planId: 'b' },
    ]);
    const removal = { sessionUpdate: 'plan_removed', planId: 'a' };
    expect(await send(removal, { ...removal, planId: 'z' })).toStrictEqual([{ ...checklist, planId: 'b' }]);
    expect(diagnostics).toEqual([]);
  });

  test.each(['PLAN.md', './PLAN.md', 'C:PLAN.md', 'file:///work/PLAN.md', '', 7])(
    '[48] v1, v2 a path that is not absolute is left out and reported: %j',
    async (path) => {
      const { send, set, diagnostics } = await open();
      expect(await send(set({ ...markdown, path }))).toStrictEqual([withoutFile]);
      expect(diagnostics).toMatchObject([
        { rule: 'protocol.malformed_update', message: expect.stringContaining('update.plan.path') },
      ]);
    },
  );

  test('[48] v1, v2 a document without content is dropped, and the plan before it stays', async () => {
    const { send, set, diagnostics } = await open();
    expect(await send(set(checklist), set({ type: 'markdown', planId: 'a' }))).toStrictEqual([checklist]);
    expect(diagnostics).toMatchObject([{ rule: 'protocol.malformed_update' }]);
  });
});

/** A task of a plan of version 1. */
const of = (content: string) => ({ ...step, content });

test('[48] v1 a plan replaces the one before it', async () => {
  const { agent, conversation } = await openSession('v1');
  const plans = async (...entries: object[]) => {
    await deliver(agent, { sessionUpdate: 'plan', entries });
    return conversation().plans;
  };
  expect(await plans(of('a'), of('b'))).toEqual([
    { planId: 'plan', type: 'items', entries: [of('a'), of('b')] },
  ]);
  expect(await plans({ ...of('c'), status: 'completed' })).toEqual([
    { planId: 'plan', type: 'items', entries: [{ ...of('c'), status: 'completed' }] },
  ]);
  const other = { planId: 'b', type: 'markdown', content: '# B' };
  agent.update('s1', { sessionUpdate: 'plan_update', plan: other });
  expect(await plans()).toEqual([{ planId: 'plan', type: 'items', entries: [] }, other]);
  expect(conversation().entries).toEqual([]);
});

test('[48] v1 a malformed entry is dropped, and unknown values in an entry are kept', async () => {
  const { agent, conversation } = await openSession('v1');
  const odd = { content: 'odd', priority: 'urgent', status: 'skipped' };
  await deliver(agent, { sessionUpdate: 'plan', entries: [of('a'), { content: 7 }, odd] });
  expect(conversation().plans).toEqual([{ planId: 'plan', type: 'items', entries: [of('a'), odd] }]);
});
