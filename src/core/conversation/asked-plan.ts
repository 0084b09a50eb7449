import { isJsonObject } from '../base/json.ts';
import { joinedText } from '../model/content.ts';
import type { Conversation, ToolCallEntry } from '../model/conversation.ts';
import type { MarkdownPlan } from '../model/plan.ts';

/**
 * The plan that a tool call asks the user to approve. `undefined` if it asks for something else. The protocol has no field
 * for it: agents ask with a tool call of the kind `switch_mode`, which has the plan as its text or as `plan` in its input.
 * A plan of the conversation with the same text is returned, because it can have a file. If the tool call has no text, it is
 * the last Markdown plan of the conversation.
 *
 * @example
 * ```ts
 * const plan = toolCall && askedPlan(session.conversation, toolCall);
 * if (plan) question.innerHTML = renderPlanHtml(plan);
 * ```
 * @experimental
 */
export function askedPlan(
  { plans }: Pick<Conversation, 'plans'>,
  toolCall: ToolCallEntry,
): MarkdownPlan | undefined {
  if (toolCall.toolKind !== 'switch_mode') return undefined;
  const content = planTextIn(toolCall);
  const text = content.trim();
  const known = plans.findLast(
    (plan): plan is MarkdownPlan => plan.type === 'markdown' && (text === '' || plan.content.trim() === text),
  );
  if (known || text === '') return known;
  return { planId: toolCall.toolCallId, type: 'markdown', content };
}

/** The plan that a tool call has itself. Empty if it has none. */
export function planTextIn({ toolKind, content, rawInput }: ToolCallEntry): string {
  if (toolKind !== 'switch_mode') return '';
  const text = joinedText(content.flatMap((item) => (item.type === 'content' ? [item.content] : [])));
  if (text.trim() !== '') return text;
  return isJsonObject(rawInput) && typeof rawInput['plan'] === 'string' ? rawInput['plan'] : '';
}
