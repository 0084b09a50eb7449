import { printable } from '../../core/base/printable.ts';
import { findTerminal } from '../../core/conversation/select.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  ToolCallEntry,
} from '../../core/model/conversation.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { ToolCallContent } from '../../core/model/tool-call.ts';

/**
 * Returns a conversation in a few lines, for a snapshot: the messages, the tool calls with their kind, status and
 * terminals, the plans, and the state of the session unless it is idle. Ids and times are omitted, so that the text is
 * the same on every run.
 *
 * @example
 * ```ts
 * expect(transcriptOf(session.conversation)).toBe('user: Hi.\nagent: Hello.');
 * ```
 */
export function transcriptOf(conversation: Conversation): string {
  const { entries, plans, activity } = conversation;
  const { state } = activity;
  return [
    ...entries.map((entry) => entryText(entry, conversation)),
    ...plans.flatMap(planLines),
    ...(state === 'idle' ? [] : [`session: ${state}`]),
  ].join('\n');
}

function planLines(plan: Plan): readonly string[] {
  if (plan.type === 'items') {
    return plan.entries.map(({ status, content }) => indented(`plan: [${status}] ${content}`));
  }
  if (plan.type !== 'markdown') return [`plan: [${plan.type}]`];
  const { content, path } = plan;
  return [
    indented([`plan: ${content.trimEnd()}`, ...(path === undefined ? [] : [`[file ${path}]`])].join('\n')),
  ];
}

function entryText(entry: ConversationEntry, conversation: Conversation): string {
  switch (entry.kind) {
    case 'message': {
      const unconfirmed = entry.origin === 'local' ? ' (unconfirmed)' : '';
      return indented(`${entry.role}${unconfirmed}: ${blocksText(entry.content)}`);
    }
    case 'sessionMessage':
      return indented(`session message: ${blocksText(entry.content)}`);
    case 'toolCall':
      return toolCallText(entry, conversation);
    case 'compaction':
      return indented(`compaction (${entry.status}): ${blocksText(entry.summary)}`.trimEnd());
    case 'turnFailure':
      return indented(`turn ${entry.cause}: ${entry.reason}`);
    case 'unknown':
      return `unknown: ${entry.tag}`;
  }
}

function toolCallText(
  { title, toolKind, status, permission, content }: ToolCallEntry,
  conversation: Conversation,
): string {
  const asks = permission ? `, asks: ${permission.options.map(({ name }) => name).join(' | ')}` : '';
  return indented(
    [
      `tool: ${title ?? '?'} (${toolKind}, ${status}${asks})`,
      ...content.map((item) => outputText(item, conversation)),
    ].join('\n'),
  );
}

function outputText(item: ToolCallContent, conversation: Conversation): string {
  switch (item.type) {
    case 'content':
      return blocksText([item.content]);
    case 'diff':
      return item.changes.map(({ operation, path }) => `[${operation} ${path}]`).join(' ');
    case 'terminal': {
      const terminal = findTerminal(conversation, item.terminalId);
      return terminal ? terminalOutput(terminal) : '[terminal]';
    }
    default:
      return `[${item.type}]`;
  }
}

function terminalOutput({ command, output, exitStatus }: ConversationTerminal): string {
  const end = exitStatus && `[exit ${exitStatus.signal ?? exitStatus.exitCode ?? '?'}]`;
  return [`$ ${command ?? '?'}`, printable(output).trimEnd(), end].filter(Boolean).join('\n');
}

function blocksText(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join('');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}]`;
    case 'resource_link':
      return `[link ${block.uri}]`;
    case 'resource':
      return `[resource ${block.resource.uri}]`;
    case 'skill':
      return `[skill ${block.name}]`;
    default:
      return `[${block.type}]`;
  }
}

/** Further lines stand further in, so that each entry begins where a line does. */
function indented(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n  ');
}
