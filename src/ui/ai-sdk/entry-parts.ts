import { isSteered } from '../../core/conversation/steered.ts';
import type { ConversationEntry, MessageEntry } from '../../core/model/conversation.ts';
import { messageParts } from './content-parts.ts';
import type { AcpPart } from './message-type.ts';
import { type ToolContext, toolCallParts } from './tool-parts.ts';

/** The parts of an entry of the transcript. A kind that a later version adds is a data part of its name. */
export function entryParts(entry: ConversationEntry, context: ToolContext): readonly AcpPart[] {
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
