import { expect, test } from 'vitest';
import { askedPlan } from '../../../src/core/conversation/asked-plan.ts';
import type { ToolCallEntry } from '../../../src/core/model/conversation.ts';
import type { Plan } from '../../../src/core/model/plan.ts';
import { renderEntryMarkdown } from '../../../src/core/render/markdown.ts';
import { conversation, text, toolCall } from '../render/example.ts';

const markdown = '# Move\n\n1. **Pack**';
const plans: readonly Plan[] = [
  { planId: 'first', type: 'markdown', content: `${markdown}\n`, path: '/w/PLAN.md' },
  { planId: 'last', type: 'markdown', content: 'Another one' },
  { planId: 'list', type: 'items', entries: [] },
];
const call = (fields: Partial<ToolCallEntry>): ToolCallEntry => ({
  ...toolCall({ toolCallId: 't' }),
  toolKind: 'switch_mode',
  ...fields,
});
const content = [{ type: 'content' as const, content: text(markdown) }];
const rawInput = { plan: markdown };
const own = { planId: 't', type: 'markdown', content: markdown };

test.each<[string, Partial<ToolCallEntry>, readonly Plan[], object | undefined]>([
  ['its text is that of a plan', { content }, plans, plans[0]],
  ['its text is that of no plan', { content }, [], own],
  ['its input has the plan', { content: [], rawInput }, plans, plans[0]],
  ['its input has a plan of its own', { content: [], rawInput }, [], own],
  ['it has no text', { content: [] }, plans, plans[1]],
  ['it has no text, and there is no document', { content: [] }, plans.slice(2), undefined],
  ['it is of another kind', { content, rawInput, toolKind: 'edit' }, plans, undefined],
])('the plan that a tool call asks to approve: %s', (_, fields, known, expected) => {
  expect(askedPlan({ plans: known }, call(fields))).toEqual(expected);
});

test.each<[string, Partial<ToolCallEntry>, string]>([
  ['text', { content }, '#### Move\n\n1. **Pack**'],
  ['input', { content: [], rawInput }, '#### Move\n\n1. **Pack**'],
  ['text of another kind of tool', { content, toolKind: 'other' }, '```\n# Move\n\n1. **Pack**\n```'],
])(
  'a transcript shows a plan in the %s of a tool call as Markdown, and other output as it is',
  (_, fields, shown) => {
    expect(renderEntryMarkdown(conversation({}), call(fields))).toContain(shown);
  },
);
