import { expect, test } from 'vitest';
import { renderHtml, renderPlanHtml } from '../../../src/entries/conversation.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const entries = [
  { content: 'Boil <water>', priority: 'high' as const, status: 'completed' as const },
  { content: 'Pour', priority: 'low' as const, status: 'in_progress' as const },
];
const { plans, ...conversation } = foldUpdates(emptyConversation('s'), [
  { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } },
]);

test('a plan is what the whole transcript has for it, and is escaped', () => {
  const [html = ''] = plans.map(renderPlanHtml);
  expect(html).toBe(
    '<section class="other"><h2 dir="auto">Plan</h2><p dir="auto">☑ Boil &lt;water&gt;\n☐ Pour (in progress)</p></section>',
  );
  const inside = html.slice(html.indexOf('</h2>'));
  expect(renderHtml({ ...conversation, plans })).toContain(inside);
});
