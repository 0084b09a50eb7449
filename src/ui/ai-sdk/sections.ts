import { isSteered } from '../../core/conversation/steered.ts';
import type { Conversation, ConversationEntry, MessageEntry } from '../../core/model/conversation.ts';
import type { ChatQuestion } from '../bridges/ask-in-chat.ts';
import type { Exchange } from '../bridges/exchanges.ts';
import { messageParts } from './content-parts.ts';
import type { AcpMessageMetadata, AcpPart } from './message-type.ts';
import type { Section } from './message-writer.ts';
import { approvalIdOf, questionParts, type ToolContext, terminalsOf, toolCallParts } from './tool-parts.ts';

/** The sections of what the agent did. An entry without parts, such as a message that is still empty, has none. */
export function answerSections(
  { terminals }: Conversation,
  { answer }: Exchange,
  approvalId: ToolContext['approvalId'],
): Section[] {
  const context = { terminals, approvalId };
  return answer.filter(hasParts).map((entry) => ({
    key: entry.key,
    sources: sourcesOf(entry, context),
    parts: () => entryParts(entry, context),
  }));
}

function hasParts(entry: ConversationEntry): boolean {
  return (
    entry.kind !== 'message' || entry.content.some((block) => block.type !== 'text' || block.text !== '')
  );
}

/** The section of the state of the session, which the last message begins with. */
export function stateSection(conversation: Conversation): Section {
  return { key: '', sources: Object.values(stateOf(conversation)), parts: () => stateParts(conversation) };
}

/** The section of a request that is not about a tool call. */
export function questionSection(question: ChatQuestion): Section {
  return { key: question.id, sources: [question], parts: () => questionParts(question) };
}

function sourcesOf(entry: ConversationEntry, context: ToolContext): readonly unknown[] {
  if (entry.kind !== 'toolCall') return [entry];
  return [entry, approvalIdOf(entry, context), ...terminalsOf(entry, context)];
}

/** The parts of an entry of the transcript. A kind that a later version adds is a data part of its name. */
function entryParts(entry: ConversationEntry, context: ToolContext): readonly AcpPart[] {
  if (entry.kind === 'toolCall') return toolCallParts(entry, context);
  if (entry.kind === 'message') return isSteered(entry) ? steeringParts(entry) : messageParts(entry);
  // Where an entry came from differs between a live session and one that was loaded.
  const { kind, key: id, origin, ...data } = entry;
  // The compiler does not connect the kind with the other members.
  return [{ type: `data-${kind}`, id, data } as AcpPart];
}

type Steering = Extract<AcpPart, { type: 'steering-message' }>;

/** A steering message has texts and files only: other blocks are texts. */
function steeringParts(entry: MessageEntry): readonly AcpPart[] {
  const parts = messageParts(entry).flatMap((part): Steering['parts'] => {
    if (part.type === 'source-url') return [{ type: 'text', text: `[${part.title}](${part.url})` }];
    if (part.type === 'text' || part.type === 'file') return [part];
    return 'data' in part ? [{ type: 'text', text: JSON.stringify(part.data) }] : [];
  });
  return parts.length > 0 ? [{ type: 'steering-message', id: entry.key, parts }] : [];
}

/** What a session has beside its transcript. */
function stateOf({ entries, terminals, activity, pendingMessages, cursors, ...state }: Conversation) {
  return state;
}

/**
 * The parts for what a session has beside its transcript. They are the first of the last message: a session has one plan
 * and one usage now, and does not remember which it had in an earlier turn.
 */
export function stateParts(conversation: Conversation): readonly AcpPart[] {
  const { plans, usage, subagents = [], ...data } = stateOf(conversation);
  const id = data.sessionId;
  return [
    { type: 'data-session', id, data },
    ...(usage ? [{ type: 'data-usage', id, data: usage } as const] : []),
    ...plans.map((plan) => ({ type: 'data-plan', id: plan.planId, data: plan }) as const),
    ...subagents.map((agent) => ({ type: 'data-subagent', id: agent.sessionId, data: agent }) as const),
  ];
}

/** How the last turn ended. `undefined` while a turn runs. */
export function turnMetadata({ activity }: Conversation): AcpMessageMetadata | undefined {
  const { state, stopReason, usage } = activity;
  return state === 'idle' ? { stopReason, ...(usage && { usage }) } : undefined;
}
