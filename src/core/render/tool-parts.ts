import { isJsonObject } from '../base/json.ts';
import { planTextIn } from '../conversation/asked-plan.ts';
import { findTerminal } from '../conversation/select.ts';
import type { Conversation, ConversationTerminal, ToolCallEntry } from '../model/conversation.ts';
import { isToolCallFinished, type ToolCallContent } from '../model/tool-call.ts';
import { clean, cleanLine } from './clean.ts';
import { contentParts } from './content-parts.ts';
import { diffLines, type FileDiff } from './diff-lines.ts';
import { progressText } from './facts.ts';
import { type Part, verbatim } from './part.ts';
import { sessionReference } from './session-names.ts';
import { terminalSpans } from './spans.ts';

/** The files and the permission request of a tool call, and its content or its raw input and output. */
export function toolParts(call: ToolCallEntry, conversation: Conversation): Part[] {
  const { locations, permission, progress, content, rawOutput } = call;
  const fileLabel = fileLabels(call);
  const changed = new Set(content.flatMap(filesOf).map(({ path }) => path));
  const files = locations.filter(({ path }) => !changed.has(path)).map(({ path }) => fileLabel(path));
  const choices = permission && `Permission: ${permission.options.map(({ name }) => name).join(' / ')}`;
  return [
    { label: cleanLine(files.filter(Boolean).join(', '), choices) },
    { label: progress ? cleanLine(progressText(progress)) : '' },
    ...content.flatMap((item) => itemParts(item, call, conversation, fileLabel)),
    ...(content.length === 0 ? inputParts(call) : []),
    showsOutput(call, conversation) ? {} : verbatim('Output', rawOutput),
  ];
}

/** Whether the text of a tool call has the plan that the user is asked to approve. */
export function showsPlan(call: ToolCallEntry): boolean {
  return planTextIn(call) !== '';
}

/** A plan that the user approves is often in the input alone. */
function inputParts(call: ToolCallEntry): Part[] {
  const plan = planTextIn(call);
  return plan === '' ? [verbatim('Input', call.rawInput)] : contentParts([{ type: 'text', text: plan }]);
}

type FileLabel = (path: unknown) => string;

function itemParts(
  item: ToolCallContent,
  call: ToolCallEntry,
  conversation: Conversation,
  fileLabel: FileLabel,
): Part[] {
  if (item?.type === 'content') {
    const parts = contentParts([item.content]);
    // Text output of a tool is not Markdown, except for fenced code and a plan.
    const isMarkdown = !parts[0]?.prose || showsPlan(call);
    return !isMarkdown && item.content.type === 'text' ? [verbatim('', item.content.text)] : parts;
  }
  if (item?.type === 'terminal') return [terminalPart(findTerminal(conversation, item.terminalId), call)];
  if (item?.type === 'session') return [{ label: sessionReference(conversation, item.sessionId) }];
  if (item?.type === 'diff' && Array.isArray(item.changes)) {
    return filesOf(item).map(({ operation, oldPath, path, lines }) => ({
      label: cleanLine(operation, oldPath, oldPath && '→', fileLabel(path)),
      diff: lines,
    }));
  }
  return [verbatim(cleanLine(item?.type), item)];
}

/** The output of a terminal. The label has the command and the exit, if they are known. */
function terminalPart(terminal: ConversationTerminal | undefined, { rawInput }: ToolCallEntry): Part {
  const command = cleanLine(terminal?.command ?? commandOf(rawInput));
  const code = terminal?.exitStatus?.signal ?? terminal?.exitStatus?.exitCode;
  const exit = code == null ? '' : cleanLine('exit', code);
  const label = command ? cleanLine('$', command, exit && `# ${exit}`) : exit;
  return { label, spans: terminal && terminalSpans(terminal.output) };
}

/** The command that a tool was called with: a line, or a program and its arguments. */
function commandOf(rawInput: ToolCallEntry['rawInput']): unknown {
  const command = isJsonObject(rawInput) ? rawInput['command'] : undefined;
  return Array.isArray(command) ? command.map((part) => clean(part)).join(' ') : command;
}

/** The files of a diff. A conversation that was read from a file can have a diff without them. */
function filesOf(item: ToolCallContent): readonly FileDiff[] {
  return item?.type === 'diff' && Array.isArray(item.changes) ? diffLines(item) : [];
}

/** Longer titles are not searched for the path of a file. */
const maxTitleLength = 1000;

/** Labels files with their path and line. Without the path if the title of the tool call contains it. */
function fileLabels({ title, locations }: ToolCallEntry): FileLabel {
  const lines = new Map<unknown, unknown>(locations.map(({ path, line }) => [path, line]));
  return (value) => {
    const path = cleanLine(value);
    const line = lines.get(value);
    if (title && title.length <= maxTitleLength && title.includes(path)) return line ? `line ${line}` : '';
    return line ? `${path}:${line}` : path;
  };
}

/** Limits of the comparison, so that it takes little time for any input. */
const maxTextLength = 100_000;
const maxValues = 200;

/**
 * Whether the content of a tool call shows its output.
 *
 * Some agents send content only in a permission request, where it is the question, and the output only as
 * `rawOutput`. Therefore finished tool calls with text content are compared: if no string of the raw output is in
 * the text, the content is not the output. Strings of the raw input, such as the command, do not count.
 *
 * A terminal that the conversation does not contain shows nothing: its output is not known.
 */
export function showsOutput(
  { status, content, rawInput, rawOutput }: ToolCallEntry,
  conversation: Conversation,
): boolean {
  const shown = content.filter(
    (item) => item?.type !== 'terminal' || findTerminal(conversation, item.terminalId),
  );
  if (shown.length === 0) return false;
  const text = textOf(shown);
  if (text === undefined || !isToolCallFinished(status)) return true;
  const input = new Set(stringsIn(rawInput));
  const output = stringsIn(rawOutput).filter((value) => !input.has(value));
  return output.length === 0 || output.some((value) => text.includes(value));
}

/** The start of the text of content that is text only. */
function textOf(content: ToolCallEntry['content']): string | undefined {
  let text = '';
  for (const item of content) {
    if (item?.type !== 'content' || item.content?.type !== 'text') return undefined;
    if (text.length < maxTextLength) text += `${item.content.text}\n`.slice(0, maxTextLength);
  }
  return text;
}

/** The first strings in a JSON value, without white space around them. */
function stringsIn(value: unknown): string[] {
  const strings: string[] = [];
  const pending: unknown[] = [value];
  for (let count = 0; count < maxValues && pending.length > 0; count++) {
    const next = pending.pop();
    if (typeof next === 'string' && next.trim() !== '') strings.push(next.slice(0, maxTextLength).trim());
    if (Array.isArray(next)) pending.push(...next.slice(0, maxValues));
    else if (isJsonObject(next)) pending.push(...Object.values(next).slice(0, maxValues));
  }
  return strings;
}
