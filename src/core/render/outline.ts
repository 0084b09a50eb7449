import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import type { Plan } from '../model/plan.ts';
import { cleanLine } from './clean.ts';
import { contentParts } from './content-parts.ts';
import { costText, countText, timeText } from './facts.ts';
import { type Part, verbatim } from './part.ts';
import type { DiffLine } from './patch-sections.ts';
import { messageTitle } from './session-names.ts';
import type { Span } from './spans.ts';
import { toolParts } from './tool-parts.ts';

/** How a format writes the parts of a section, see {@link Part}. The text is clean, but not escaped. */
export interface Format {
  prose(markdown: string): string;
  label(text: string, image?: string): string;
  code(spans: Iterable<Span>, language?: string): string;
  diff(lines: readonly DiffLine[]): string;
  /** JSON, which can be long. The label can be empty. */
  data(json: string, label: string): string;
}

type Role = 'session' | 'user' | 'agent' | 'thought' | 'tool' | 'other';

/** The session, an entry of the transcript, or a plan. */
export interface Section {
  readonly role: Role;
  /** Clean, but not escaped. */
  readonly title: string;
  /** In the syntax of the format. */
  readonly body: string;
}

/** The sections of a transcript in all formats. The session comes first. */
export function outline(conversation: Conversation, format: Format): Section[] {
  const { sessionId, info, usage, activity, plans, entries } = conversation;
  const facts = [
    sessionId,
    info.updatedAt && timeText(info.updatedAt),
    usage && `${countText(usage.used)} of ${countText(usage.size)} tokens`,
    usage?.cost && costText(usage.cost),
    activity.stopReason !== 'end_turn' && activity.stopReason,
    activity.error?.['message'],
  ];
  const sections: Unformatted[] = [
    ['session', info.title ?? 'Session', [{ label: cleanLine(facts.filter(Boolean).join(' · ')) }]],
    ...entries.filter(isShown).map((entry) => entrySection(entry, conversation)),
    ...plans.filter(isPlanShown).map(planSection),
  ];
  return sections.map((section) => formatted(section, format));
}

/**
 * Whether a transcript shows an entry. A message that the agent has only announced has nothing to show yet, and one with
 * blank or invisible texts only has nothing at all.
 */
export function isShown(entry: ConversationEntry): boolean {
  if (entry.kind !== 'message' && entry.kind !== 'sessionMessage') return true;
  // A block of a conversation that was read from a file can be `null`.
  return entry.content.some((block) => block?.type !== 'text' || isVisible(block.text));
}

/** Whether a transcript shows a plan. An agent that has finished one often sends it without tasks. */
export function isPlanShown(plan: Plan): boolean {
  if (plan.type === 'items') return plan.entries.some(({ content }) => isVisible(content));
  return plan.type !== 'markdown' || isVisible(plan.content);
}

/** How much of a text is looked at first: most texts begin with words. */
const startLength = 200;

function isVisible(text: unknown): boolean {
  if (typeof text !== 'string') return text != null;
  return cleanLine(text.slice(0, startLength)) !== '' || cleanLine(text) !== '';
}

/** The section of one entry. */
export function entryOutline(conversation: Conversation, entry: ConversationEntry, format: Format): Section {
  return formatted(entrySection(entry, conversation), format);
}

/** The section of one plan. */
export function planOutline(plan: Plan, format: Format): Section {
  return formatted(planSection(plan), format);
}

type Unformatted = readonly [Role, title: unknown, readonly Part[]];

function formatted([role, title, parts]: Unformatted, format: Format): Section {
  const body = parts.map(({ prose, label, image, spans, language, diff, data }) => {
    const pieces = [
      prose && format.prose(prose),
      label && data === undefined && format.label(label, image),
      spans && format.code(spans, language),
      diff && diff.length > 0 && format.diff(diff),
      data && format.data(data, label ?? ''),
    ];
    return pieces.filter(Boolean).join('\n');
  });
  return { role, title: cleanLine(title), body: body.filter(Boolean).join('\n\n') };
}

function entrySection(entry: ConversationEntry, conversation: Conversation): Unformatted {
  if (entry.kind === 'message') {
    const { role, content } = entry;
    return [role, { user: 'User', agent: 'Agent', thought: 'Thought' }[role], contentParts(content)];
  }
  if (entry.kind === 'sessionMessage')
    return ['other', messageTitle(conversation, entry), contentParts(entry.content)];
  if (entry.kind === 'toolCall') {
    const { title, name, toolKind, status } = entry;
    const mark = status === 'completed' ? '✓' : status === 'failed' ? '✗' : '○';
    return [
      'tool',
      cleanLine(mark, [title, name, toolKind].find(isVisible), statusNote(status)),
      toolParts(entry, conversation),
    ];
  }
  if (entry.kind === 'compaction') {
    const parts = [...contentParts(entry.summary), { label: cleanLine(entry.error) }];
    return ['other', `Context compacted ${statusNote(entry.status)}`, parts];
  }
  if (entry.kind === 'turnFailure') {
    const { cause, reason, code } = entry;
    const title = cause === 'failed' ? 'Turn failed' : 'Turn interrupted';
    return ['other', cleanLine(title, code === null ? '' : `(${code})`), [{ label: cleanLine(reason) }]];
  }
  const { tag, raw } = entry;
  return ['other', tag, [verbatim('', raw)]];
}

function planSection(plan: Plan): Unformatted {
  return ['other', 'Plan', planParts(plan)];
}

function planParts(plan: Plan): readonly Part[] {
  if (plan.type === 'items') {
    const tasks = plan.entries.map(({ content, status }) => {
      return `- [${status === 'completed' ? 'x' : ' '}] ${cleanLine(content, statusNote(status))}`;
    });
    return [{ prose: tasks.join('\n') }];
  }
  if (plan.type !== 'markdown') return [verbatim('', plan)];
  const { content, path } = plan;
  return [{ label: cleanLine(path) }, ...contentParts([{ type: 'text', text: content }])];
}

/** A status in parentheses, except the usual ones. */
function statusNote(status: string): string {
  return /^(completed|pending)$/.test(status) ? '' : `(${status.replaceAll('_', ' ')})`;
}
