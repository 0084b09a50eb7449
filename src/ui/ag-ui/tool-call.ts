import type { AssistantMessage, ContentPart, Message, ToolMessage } from '@ag-ui/client';
import { findTerminal } from '../../core/conversation/select.ts';
import type { Conversation, ConversationTerminal, ToolCallEntry } from '../../core/model/conversation.ts';
import {
  isToolCallFinished,
  type TerminalReference,
  type ToolCallContent,
} from '../../core/model/tool-call.ts';
import { callIdOf } from '../bridges/permission-ids.ts';
import { activity, type TerminalActivity, type ToolCallActivity, type ToolCallOutput } from './activities.ts';
import { contentOf, partOf } from './parts.ts';

/** What a tool call needs of its conversation. */
export type Surroundings = Pick<Conversation, 'terminals' | 'activity'>;

/** The messages of a tool call: the call, its result once it has ended or the agent is idle, and the rest. */
export function toolCallMessages(entry: ToolCallEntry, surroundings: Surroundings): readonly Message[] {
  const isOver = isToolCallFinished(entry.status) || surroundings.activity.state === 'idle';
  return [
    callMessage(entry, callArguments(entry)),
    ...(isOver ? [resultMessage(entry)] : []),
    activity(activityId(entry), 'acp.toolCall', {
      ...toolCallFields(entry),
      output: entry.content.map((item) =>
        item.type === 'terminal'
          ? terminalOutput(item.terminalId, findTerminal(surroundings, item.terminalId))
          : outputOf(item),
      ),
    }),
  ];
}

/** The id of the message with the rest of a tool call. No key of an entry begins like this. */
export function activityId({ key }: ToolCallEntry): string {
  return `activity/${key}`;
}

/** The name of the tool, or the kind of its work where the agent does not name it. */
export function callName({ name, toolKind }: ToolCallEntry): string {
  return name ?? toolKind;
}

/** The arguments as JSON. Empty if the agent does not report them. */
export function callArguments({ rawInput }: ToolCallEntry): string {
  return rawInput === undefined ? '' : JSON.stringify(rawInput);
}

/** @param json - The arguments as far as they are known. */
export function callMessage(entry: ToolCallEntry, json: string): AssistantMessage {
  const call = { name: callName(entry), arguments: json };
  return {
    id: entry.key,
    role: 'assistant',
    toolCalls: [{ id: callIdOf(entry.key), type: 'function', function: call }],
  };
}

export function resultMessage(entry: ToolCallEntry): ToolMessage {
  const { key } = entry;
  return { id: `result/${key}`, role: 'tool', toolCallId: callIdOf(key), content: resultContent(entry) };
}

/** What the tool returned: its content, or its own result where it shows no content. */
function resultContent({ content, rawOutput }: ToolCallEntry): string | ContentPart[] {
  const blocks = content.flatMap((item) => (item.type === 'content' ? [item.content] : []));
  if (blocks.length > 0 || rawOutput === undefined) return contentOf(blocks);
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput);
}

/** What the activity message of a tool call has besides its output. */
export function toolCallFields(entry: ToolCallEntry): Omit<ToolCallActivity, 'output'> {
  const { key, title, toolKind: kind, status, locations, permission, rawOutput = null } = entry;
  return { toolCallId: callIdOf(key), title, kind, status, locations, permission, rawOutput };
}

/** An item of the output that shows no terminal. */
export function outputOf(item: Exclude<ToolCallContent, TerminalReference>): ToolCallOutput {
  if (item.type === 'content') return { type: 'content', part: partOf(item.content) };
  if (item.type === 'diff') return item;
  if (item.type === 'session') return { type: 'session', sessionId: item.sessionId };
  return { type: 'unknown', content: item };
}

/** @param terminal - `undefined` if the conversation does not have it. */
export function terminalOutput(
  terminalId: string,
  terminal: ConversationTerminal | undefined,
  text = terminal?.output ?? '',
): TerminalActivity {
  const { command = null, cwd = null, droppedBytes = 0, exitStatus = null } = terminal ?? {};
  const output = text === '' ? [] : [text];
  return { type: 'terminal', terminalId, command, cwd, output, droppedBytes, exitStatus };
}
