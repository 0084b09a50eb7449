import type { JsonValue } from '../../core/base/json.ts';
import { defaults } from '../../core/conversation/entry-defaults.ts';
import { findTerminal } from '../../core/conversation/select.ts';
import type { ConversationTerminal, ToolCallEntry } from '../../core/model/conversation.ts';
import type { PendingPermission } from '../../core/model/permission.ts';
import type { ChatQuestion } from '../bridges/ask-in-chat.ts';
import { callIdOf, permissionId } from '../bridges/permission-ids.ts';
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

/** The parts of a tool call: AI SDK's, and what that one has no place for. */
export function toolCallParts(entry: ToolCallEntry, context: ToolContext): readonly AcpPart[] {
  const { kind, key, origin, ...rest } = entry;
  const call = { ...rest, toolCallId: callIdOf(key) };
  return callParts(call, approvalIdOf(entry, context), null, terminalsOf(entry, context));
}

/** The id under which the interface answers the request of a tool call. `undefined` if there is none for it. */
export function approvalIdOf(entry: ToolCallEntry, { approvalId }: ToolContext): string | undefined {
  return entry.permission ? approvalId(entry, entry.permission) : undefined;
}

/** The terminals that a tool call refers to, in its order. */
export function terminalsOf(
  { content }: Pick<ToolCallEntry, 'content'>,
  { terminals }: Pick<ToolContext, 'terminals'>,
): readonly ConversationTerminal[] {
  return content.flatMap((item) =>
    item.type === 'terminal' ? (findTerminal({ terminals }, item.terminalId) ?? []) : [],
  );
}

/** The parts of a request that is not about a tool call of the conversation: those of a tool call that stands for it. */
export function questionParts({
  id,
  subagent,
  title,
  description,
  options,
}: ChatQuestion): readonly AcpPart[] {
  const permission = { title, description, options };
  const { origin, ...call } = { ...defaults.toolCall, toolCallId: id, name: 'permission', title, permission };
  return callParts(call, id, subagent, []);
}

type Call = Omit<ToolCallEntry, 'kind' | 'key' | 'origin'>;

/** @param subagent - The subagent that asks for a permission. */
function callParts(
  call: Call,
  approvalId: string | undefined,
  subagent: string | null,
  terminals: readonly ConversationTerminal[],
): readonly AcpPart[] {
  const { title, name, rawInput, rawOutput, permission, ...others } = call;
  const asked = permission && { ...permission, id: approvalId ?? null, subagent };
  const data: AcpToolCall = { ...others, terminals, permission: asked };
  return [toolPart(call, approvalId), { type: 'data-toolCall', id: call.toolCallId, data }];
}

function toolPart(call: Call, approvalId: string | undefined): ToolPart {
  const { toolCallId, title, name, toolKind, rawInput: input = {}, status } = call;
  const toolName = name ?? toolKind;
  const part = {
    type: 'dynamic-tool',
    toolName,
    toolCallId,
    // A reader cannot remove a title.
    title: title ?? toolName,
    providerExecuted: true,
    input,
  } as const;
  if (approvalId !== undefined) return { ...part, state: 'approval-requested', approval: { id: approvalId } };
  const output = outputOf(call);
  if (status === 'completed') return { ...part, state: 'output-available', output: output ?? null };
  if (status === 'failed' || status === 'cancelled') {
    return { ...part, state: 'output-error', errorText: errorText(status, output) };
  }
  // A status that is not known counts as in progress.
  return output === undefined
    ? { ...part, state: 'input-available' }
    : { ...part, state: 'output-available', output, preliminary: true };
}

/** The result as the agent reports it, or the text of the output. `undefined` if there is neither. */
function outputOf({ rawOutput, content }: Call): JsonValue | undefined {
  if (rawOutput !== undefined) return rawOutput;
  const texts = content.flatMap((item) =>
    item.type === 'content' && item.content.type === 'text' ? item.content.text : [],
  );
  return texts.length > 0 ? texts.join('\n') : undefined;
}

function errorText(status: string, output: JsonValue | undefined): string {
  if (output == null || output === '') return `The tool call is ${status}.`;
  return typeof output === 'string' ? output : JSON.stringify(output);
}
