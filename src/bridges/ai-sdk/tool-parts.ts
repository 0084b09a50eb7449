import type { JsonValue } from '../../base/json.ts';
import { findTerminal } from '../../conversation/select.ts';
import type { ConversationTerminal, ToolCallEntry } from '../../model/conversation.ts';
import type { PendingPermission } from '../../model/permission.ts';
import type { ChatQuestion } from '../ask-in-chat.ts';
import { permissionId } from '../permission-ids.ts';
import type { AcpPart, AcpToolCall } from './message-type.ts';

export type ToolPart = Extract<AcpPart, { type: 'dynamic-tool' }>;

/** What the parts of a tool call need beside its entry. */
export interface ToolContext {
  readonly terminals: Readonly<Record<string, ConversationTerminal>>;
  /** The id under which the interface answers the request of a tool call. `undefined`: it does not answer this one. */
  approvalId(entry: ToolCallEntry, permission: PendingPermission): string | undefined;
}

/** Every open request is for the interface. */
export const askAll: ToolContext['approvalId'] = (_, { options }) => permissionId(options);

/**
 * The parts of a tool call: AI SDK's, and what that one has no place for.
 *
 * @param subagent - The subagent that asks for a permission.
 */
export function toolCallParts(
  entry: ToolCallEntry,
  context: ToolContext,
  subagent: string | null = null,
): readonly AcpPart[] {
  const { kind, key, title, name, rawInput, rawOutput, origin, permission, ...others } = entry;
  const id = permission ? context.approvalId(entry, permission) : undefined;
  const data: AcpToolCall = {
    ...others,
    terminals: others.content.flatMap((item) =>
      item.type === 'terminal' ? terminalsOf(context, item.terminalId) : [],
    ),
    permission: permission && { ...permission, id: id ?? null, subagent },
  };
  return [toolPart(entry, id), { type: 'data-toolCall', id: entry.toolCallId, data }];
}

/** The parts of a request that is not about a tool call of the conversation: those of a tool call that stands for it. */
export function questionParts({ id, subagent, title, ...permission }: ChatQuestion): readonly AcpPart[] {
  const { description, options } = permission;
  const entry: ToolCallEntry = {
    kind: 'toolCall',
    key: id,
    toolCallId: id,
    name: 'permission',
    title,
    toolKind: 'other',
    status: 'pending',
    content: [],
    locations: [],
    permission: { title, description, options },
    capabilities: null,
    origin: 'live',
    meta: null,
  };
  return toolCallParts(entry, { terminals: {}, approvalId: () => id }, subagent);
}

function terminalsOf({ terminals }: ToolContext, terminalId: string): ConversationTerminal[] {
  const terminal = findTerminal({ terminals }, terminalId);
  return terminal ? [terminal] : [];
}

function toolPart(entry: ToolCallEntry, approvalId: string | undefined): ToolPart {
  const { toolCallId, name, toolKind, rawInput: input = {}, status } = entry;
  const toolName = name ?? toolKind;
  const call = {
    type: 'dynamic-tool',
    toolName,
    toolCallId,
    // A reader cannot remove a title.
    title: entry.title ?? toolName,
    providerExecuted: true,
    input,
  } as const;
  if (approvalId !== undefined) return { ...call, state: 'approval-requested', approval: { id: approvalId } };
  const output = outputOf(entry);
  if (status === 'completed') return { ...call, state: 'output-available', output: output ?? null };
  if (status === 'failed' || status === 'cancelled') {
    return { ...call, state: 'output-error', errorText: errorText(status, output) };
  }
  // A status that is not known counts as in progress.
  return output === undefined
    ? { ...call, state: 'input-available' }
    : { ...call, state: 'output-available', output, preliminary: true };
}

/** The result as the agent reports it, or the text of the output. `undefined` if there is neither. */
function outputOf({ rawOutput, content }: ToolCallEntry): JsonValue | undefined {
  if (rawOutput !== undefined) return rawOutput;
  const texts = content.flatMap((item) =>
    item.type === 'content' && item.content.type === 'text' ? item.content.text : [],
  );
  return texts.length > 0 ? texts.join('\n') : undefined;
}

function errorText(status: string, output: JsonValue | undefined): string {
  if (output === undefined || output === null || output === '') return `The tool call is ${status}.`;
  return typeof output === 'string' ? output : JSON.stringify(output);
}
