import type { Conversation, ConversationEntry } from '../../../model/conversation.ts';
import type { Plan } from '../../../model/plan.ts';
import { renderEntryHtml, renderPlanHtml } from '../../../render/html.ts';

interface Drawn {
  readonly html: string;
  readonly terminals: Conversation['terminals'];
  readonly subagents: Conversation['subagents'];
}

const drawn = new WeakMap<ConversationEntry, Drawn>();

/** The HTML of an entry. It is made once, until the entry changes or what it refers to. */
export function entryHtml(conversation: Conversation, entry: ConversationEntry): string {
  const { terminals, subagents } = conversation;
  const before = drawn.get(entry);
  const refers = entry.kind === 'toolCall' || entry.kind === 'sessionMessage';
  if (before && (!refers || (before.terminals === terminals && before.subagents === subagents))) {
    return before.html;
  }
  const html = renderEntryHtml(conversation, entry);
  drawn.set(entry, { html, terminals, subagents });
  return html;
}

const drawnPlans = new WeakMap<Plan, string>();

/** The HTML of a plan. It is made once, until the plan changes. */
export function planHtml(plan: Plan): string {
  const html = drawnPlans.get(plan) ?? renderPlanHtml(plan);
  drawnPlans.set(plan, html);
  return html;
}
