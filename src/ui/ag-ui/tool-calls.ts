import type { AGUIEvent, JsonPatchOperation, Message, ToolMessage } from '@ag-ui/client';
import { equal } from '../../core/conversation/equal.ts';
import type { Conversation, ToolCallEntry } from '../../core/model/conversation.ts';
import { isToolCallFinished, type ToolCallContent } from '../../core/model/tool-call.ts';
import { callIdOf } from '../bridges/permission-ids.ts';
import { activity, type ToolCallOutput } from './activities.ts';
import { activityDelta, activitySnapshot, type Change, event } from './event.ts';
import type { TerminalOutputs } from './terminal-outputs.ts';
import {
  activityId,
  callArguments,
  callMessage,
  callName,
  outputOf,
  resultMessage,
  toolCallFields,
} from './tool-call.ts';

/** What the reader has of a tool call. */
interface Shown {
  entry: ToolCallEntry;
  /** The items of its output. It grows in place: a copy for each item would be slow. */
  content: ToolCallContent[];
  /** Whether the reader has the arguments. */
  isComplete: boolean;
  result: ToolMessage | undefined;
}

/** The tool calls of a turn. */
export class ToolCalls {
  /** By the keys of their entries. */
  readonly #shown = new Map<string, Shown>();
  /** The calls of earlier turns. Few turns change one of them. */
  readonly #earlier = new Map<string, ToolCallEntry>();
  readonly #terminals: TerminalOutputs;

  /** @param start - The conversation at the start of the turn. `undefined` if it is not known. */
  constructor(start: Conversation | undefined, terminals: TerminalOutputs) {
    this.#terminals = terminals;
    for (const entry of start?.entries ?? []) {
      if (entry.kind !== 'toolCall') continue;
      this.#earlier.set(entry.key, entry);
      for (const [index, item] of entry.content.entries()) this.#place(entry, item, index);
      // The reader has no result of a call that had not ended while a turn ran.
      const isOpen = !isToolCallFinished(entry.status) && start?.activity.state !== 'idle';
      const shown = isOpen ? this.#find(entry.key) : undefined;
      if (shown) shown.result = undefined;
    }
  }

  /** Shows a tool call as it is now. */
  show(entry: ToolCallEntry): Change {
    const shown = this.#find(entry.key);
    if (!shown) return { events: this.#begin(entry), needsSnapshot: false };
    const { entry: before, isComplete } = shown;
    const patch = [...fieldChanges(before, entry), ...this.#contentChanges(shown, entry)];
    shown.entry = entry;
    const needsSnapshot =
      hasOtherResult(shown) ||
      callName(entry) !== callName(before) ||
      (isComplete && callArguments(entry) !== callArguments(before));
    const events = [...activityDelta(activityId(entry), 'acp.toolCall', patch), ...progressOf(shown)];
    return { events, needsSnapshot };
  }

  /** Appends an item to the output of a tool call. */
  append(key: string, item: ToolCallContent): Change {
    const shown = this.#find(key);
    if (!shown) return { events: [], needsSnapshot: false };
    const events = activityDelta(activityId(shown.entry), 'acp.toolCall', [this.#added(shown, item)]);
    return { events, needsSnapshot: hasOtherResult(shown) };
  }

  /** Gives each call its arguments. A run cannot end before. */
  complete(): readonly AGUIEvent[] {
    return [...this.#shown.values()].flatMap(argumentsOf);
  }

  /** Gives each call a result: the turn has ended. */
  finish(): readonly AGUIEvent[] {
    return [...this.#shown.values()].flatMap((shown) => [...argumentsOf(shown), ...resultOf(shown)]);
  }

  /** The calls and the results that the reader has, after those of earlier turns, which they can change. */
  after(history: readonly Message[]): readonly Message[] {
    const messages = [...this.#shown.values()].flatMap(({ entry, isComplete, result }) => [
      callMessage(entry, isComplete ? callArguments(entry) : ''),
      ...(result ? [result] : []),
    ]);
    const ids = new Set(messages.map(({ id }) => id));
    return [...history.filter(({ id }) => !ids.has(id)), ...messages];
  }

  #find(key: string): Shown | undefined {
    const shown = this.#shown.get(key);
    const earlier = this.#earlier.get(key);
    if (shown || !earlier) return shown;
    // A call of an earlier turn has a result.
    const content = [...earlier.content];
    const again: Shown = { entry: earlier, content, isComplete: true, result: resultMessage(earlier) };
    this.#shown.set(key, again);
    return again;
  }

  #begin(entry: ToolCallEntry): readonly AGUIEvent[] {
    const { key } = entry;
    const toolCallId = callIdOf(key);
    const shown: Shown = { entry, content: [], isComplete: false, result: undefined };
    this.#shown.set(key, shown);
    const output = entry.content.map((item) => this.#output(shown, item));
    return [
      event({ type: 'TOOL_CALL_START', toolCallId, toolCallName: callName(entry), parentMessageId: key }),
      activitySnapshot(activity(activityId(entry), 'acp.toolCall', { ...toolCallFields(entry), output })),
      ...progressOf(shown),
    ];
  }

  #contentChanges(shown: Shown, { content }: ToolCallEntry): readonly JsonPatchOperation[] {
    const isContinued = shown.content.every((item, index) => equal(item, content[index]));
    if (isContinued) return content.slice(shown.content.length).map((item) => this.#added(shown, item));
    shown.content = [];
    this.#terminals.clear(activityId(shown.entry));
    return [{ op: 'replace', path: '/output', value: content.map((item) => this.#output(shown, item)) }];
  }

  #added(shown: Shown, item: ToolCallContent): JsonPatchOperation {
    return { op: 'add', path: '/output/-', value: this.#output(shown, item) };
  }

  #output({ entry, content }: Shown, item: ToolCallContent): ToolCallOutput {
    this.#place(entry, item, content.push(item) - 1);
    return item.type === 'terminal' ? this.#terminals.output(item.terminalId) : outputOf(item);
  }

  #place(entry: ToolCallEntry, item: ToolCallContent, index: number): void {
    if (item.type === 'terminal') {
      this.#terminals.place(item.terminalId, { activityId: activityId(entry), index });
    }
  }
}

/** The fields of the activity message that changed. */
function fieldChanges(before: ToolCallEntry, after: ToolCallEntry): readonly JsonPatchOperation[] {
  const known = Object.entries(toolCallFields(before));
  const fields = Object.entries(toolCallFields(after));
  return fields.flatMap(([name, value], index): JsonPatchOperation[] =>
    equal(value, known[index]?.[1]) ? [] : [{ op: 'replace', path: `/${name}`, value }],
  );
}

/** The arguments when the call is no longer prepared, and the result when it has ended. */
function progressOf(shown: Shown): readonly AGUIEvent[] {
  const { status, permission } = shown.entry;
  if (isToolCallFinished(status)) return [...argumentsOf(shown), ...resultOf(shown)];
  return status === 'pending' && permission === null ? [] : argumentsOf(shown);
}

function argumentsOf(shown: Shown): readonly AGUIEvent[] {
  if (shown.isComplete) return [];
  shown.isComplete = true;
  const toolCallId = callIdOf(shown.entry.key);
  const delta = callArguments(shown.entry);
  return [
    ...(delta === '' ? [] : [event({ type: 'TOOL_CALL_ARGS', toolCallId, delta })]),
    event({ type: 'TOOL_CALL_END', toolCallId }),
  ];
}

/** Takes the result as it is now, if the reader has one. Returns whether it is another one. */
function hasOtherResult(shown: Shown): boolean {
  const before = shown.result;
  if (before) shown.result = resultMessage({ ...shown.entry, content: shown.content });
  return !equal(before, shown.result);
}

function resultOf(shown: Shown): readonly AGUIEvent[] {
  if (shown.result) return [];
  shown.result = resultMessage({ ...shown.entry, content: shown.content });
  const { id: messageId, toolCallId, content } = shown.result;
  return [event({ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' })];
}
