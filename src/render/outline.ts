import type { JsonObject } from '../json.ts';
import type { Conversation, Entry, Terminal } from '../model/conversation.ts';
import { cleanLine } from './clean.ts';
import { contentParts } from './content-parts.ts';
import { type Part, verbatim } from './part.ts';
import type { Span } from './spans.ts';
import { toolParts } from './tool-parts.ts';

/** How a format spells the parts of a section; see {@link Part}. What it is given is clean, but not escaped. */
export interface Format {
  prose(markdown: string): string;
  label(text: string, image?: string): string;
  code(spans: readonly Span[], language?: string): string;
}

type Role = 'session' | 'user' | 'agent' | 'thought' | 'tool' | 'other';

/** The session, an entry of the transcript, or what stands beside it, such as a plan. */
export interface Section {
  readonly role: Role;
  /** Clean, but not escaped. */
  readonly title: string;
  /** Spelled in the format. */
  readonly body: string;
}

/** The one place that decides what a transcript shows, and in which order. The session comes first. */
export function outline(conversation: Conversation, format: Format): Section[] {
  const { sessionId, info, usage, activity, plans, entries } = conversation;
  const terminals = new Map(Object.entries(conversation.terminals));
  const facts = [
    sessionId,
    info.updatedAt,
    usage && `${usage.used} of ${usage.size} tokens`,
    usage?.cost && `${usage.cost.amount} ${usage.cost.currency}`,
    activity.stopReason !== 'end_turn' && activity.stopReason,
    activity.error?.['message'],
  ];
  const sections: (readonly [Role, title: unknown, readonly Part[]])[] = [
    ['session', info.title ?? 'Session', [{ label: cleanLine(facts.filter(Boolean).join(' · ')) }]],
    ...entries.map((entry) => entrySection(entry, terminals)),
    ...plans.map(({ entries, other }) => {
      const tasks = entries.map(({ content, status }) => {
        return `- [${status === 'completed' ? 'x' : ' '}] ${cleanLine(content, noted(status))}`;
      });
      return ['other', 'Plan', [{ prose: tasks.join('\n') }, verbatim('', other)]] as const;
    }),
  ];
  return sections.map(([role, title, parts]) => {
    const body = parts.map(({ prose, label, image, spans, language }) => {
      const pieces = [
        prose && format.prose(prose),
        label && format.label(label, image),
        spans && format.code(spans, language),
      ];
      return pieces.filter(Boolean).join('\n');
    });
    return { role, title: cleanLine(title), body: body.filter(Boolean).join('\n\n') };
  });
}

function entrySection(
  entry: Entry,
  terminals: ReadonlyMap<string, Terminal>,
): readonly [Role, string, readonly Part[]] {
  if (entry.kind === 'message') {
    const { role, content } = entry;
    return [role, { user: 'User', agent: 'Agent', thought: 'Thought' }[role], contentParts(content)];
  }
  if (entry.kind === 'toolCall') {
    const { title, name, toolKind, status } = entry;
    const mark = status === 'completed' ? '✓' : status === 'failed' ? '✗' : '○';
    return ['tool', cleanLine(mark, title ?? name ?? toolKind, noted(status)), toolParts(entry, terminals)];
  }
  if (entry.kind === 'compaction') {
    const parts = [...contentParts(entry.summary), { label: cleanLine(entry.error) }];
    return ['other', `Context compacted ${noted(entry.status)}`, parts];
  }
  const { tag, raw } = entry;
  if (tag === '_reconnected') return ['other', 'Interrupted', [{ prose: gap(raw) }]];
  return ['other', tag, [verbatim('', raw)]];
}

/** What the client notes where the agent was started again. */
function gap({ reason, restoredBy }: JsonObject): string {
  const outcome = restoredBy ? 'and goes on' : 'and could not go on';
  return cleanLine(reason, `It was started again, ${outcome} with this session.`);
}

/** A status, unless it goes without saying. */
function noted(status: string): string {
  return /^(completed|pending)$/.test(status) ? '' : `(${status.replaceAll('_', ' ')})`;
}
