import { isJsonObject } from '../base/json.ts';
import { planTextIn } from '../conversation/asked-plan.ts';
import { findTerminal } from '../conversation/select.ts';
import type { Conversation, ConversationTerminal, ToolCallEntry } from '../model/conversation.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import { clean, cleanLine } from './clean.ts';
import { contentParts } from './content-parts.ts';
import { diffLines, type FileDiff } from './diff-lines.ts';
import { progressText } from './facts.ts';
import { type Part, verbatim } from './part.ts';
import type { SessionNames } from './session-names.ts';
import { showsOutput } from './shows-output.ts';
import { terminalSpans } from './spans.ts';

/** The files and the permission request of a tool call, and its content or its raw input and output. */
export function toolParts(call: ToolCallEntry, conversation: Conversation, names: SessionNames): Part[] {
  const { locations, permission, progress, content, rawOutput } = call;
  const fileLabel = fileLabels(call);
  const changed = new Set(content.flatMap(filesOf).map(({ path }) => path));
  const files = locations.filter(({ path }) => !changed.has(path)).map(({ path }) => fileLabel(path));
  const choices = permission && `Permission: ${permission.options.map(({ name }) => name).join(' / ')}`;
  return [
    { label: cleanLine(files.filter(Boolean).join(', '), choices) },
    { label: progress ? cleanLine(progressText(progress)) : '' },
    ...content.flatMap((item) => itemParts(item, call, conversation, names, fileLabel)),
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
  names: SessionNames,
  fileLabel: FileLabel,
): Part[] {
  if (item?.type === 'content') {
    const parts = contentParts([item.content]);
    // Text output of a tool is not Markdown, except for fenced code and a plan.
    const isMarkdown = !parts[0]?.prose || showsPlan(call);
    return !isMarkdown && item.content.type === 'text' ? [verbatim('', item.content.text)] : parts;
  }
  if (item?.type === 'terminal') return [terminalPart(findTerminal(conversation, item.terminalId), call)];
  if (item?.type === 'session') return [{ label: names.reference(item.sessionId) }];
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
