import { isJsonObject } from '../base/json.ts';
import { planTextIn } from '../conversation/asked-plan.ts';
import { findTerminal } from '../conversation/select.ts';
import type { Conversation, ConversationTerminal, ToolCallEntry } from '../model/conversation.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import { clean, cleanLine } from './clean.ts';
import { contentParts } from './content-parts.ts';
import { progressText } from './facts.ts';
import { nextLine } from './lines.ts';
import { type Part, verbatim } from './part.ts';
import type { SessionNames } from './session-names.ts';
import { showsOutput } from './shows-output.ts';
import { diffSpans, terminalSpans } from './spans.ts';
import { unifiedDiff } from './unified-diff.ts';

/** The files and the permission request of a tool call, and its content or its raw input and output. */
export function toolParts(call: ToolCallEntry, conversation: Conversation, names: SessionNames): Part[] {
  const { locations, permission, progress, content, rawOutput } = call;
  const fileLabel = fileLabels(call);
  const changed = new Set(content.flatMap(changesOf).map(({ path }) => path));
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
    const changes = changesOf(item);
    const parts = changes.map(({ operation, oldPath, path, oldText, newText }): Part => {
      const diff = newText == null ? '' : unifiedDiff(clean(oldText), clean(newText));
      return {
        label: cleanLine(operation, oldPath, oldPath && '→', fileLabel(path)),
        ...diffPart(diff),
      };
    });
    if (!item.patch) return parts;
    const patch = clean(item.patch.text);
    return [...parts, diffPart(changes.length === 1 ? withoutFileNames(patch) : patch)];
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

function diffPart(diff: string): Part {
  return { spans: diff ? diffSpans(diff) : undefined, language: 'diff' };
}

function changesOf(item: ToolCallContent) {
  return item?.type === 'diff' && Array.isArray(item.changes) ? item.changes.filter(isJsonObject) : [];
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

/** A line in the header of a patch that names the file. */
const namesFile = /(?:diff --git|index|---|\+\+\+|rename from|rename to) /y;

/** Removes the lines that name the file from a git patch of one file: the label names it already. */
function withoutFileNames(patch: string): string {
  if (!/^(?:diff --git|---) /.test(patch)) return patch;
  let result = '';
  let copied = 0;
  for (let start = 0; start < patch.length && !patch.startsWith('@@', start); ) {
    const end = nextLine(patch, start);
    namesFile.lastIndex = start;
    if (namesFile.test(patch)) {
      result += patch.slice(copied, start);
      copied = end;
    }
    start = end;
  }
  return result + patch.slice(copied);
}
