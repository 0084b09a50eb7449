import { terminalText } from '../conversation/select.ts';
import { isJsonObject } from '../json.ts';
import type { Terminal, ToolCallEntry } from '../model/conversation.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import { clean, cleanLine } from './clean.ts';
import { contentParts } from './content-parts.ts';
import { diffLines } from './diff-lines.ts';
import { type Part, verbatim } from './part.ts';
import { diffSpans, terminalSpans } from './spans.ts';

type Terminals = ReadonlyMap<unknown, Terminal>;

/** What a tool call works on, waits for and produced; what it was given and gave back, where it shows nothing. */
export function toolParts(call: ToolCallEntry, terminals: Terminals): Part[] {
  const { locations, permission, content, rawInput, rawOutput } = call;
  const files = locations.map(({ path, line }) => (line ? `${path}:${line}` : path)).join(', ');
  const choices = permission && `Permission: ${permission.options.map(({ name }) => name).join(' / ')}`;
  return [
    { label: cleanLine(files, choices) },
    ...content.flatMap((item) => itemParts(item, terminals)),
    ...(content.length ? [] : [verbatim('Input', rawInput), verbatim('Output', rawOutput)]),
  ];
}

function itemParts(item: ToolCallContent, terminals: Terminals): Part[] {
  if (item?.type === 'content') {
    const parts = contentParts([item.content]);
    // What a tool printed is no Markdown, unless the agent fenced it.
    return parts[0]?.prose && item.content.type === 'text' ? [verbatim('', item.content.text)] : parts;
  }
  if (item?.type === 'terminal') {
    const terminal = terminals.get(item.terminalId);
    const exit = terminal?.exitStatus;
    const label = cleanLine(
      '$',
      terminal?.command ?? item.terminalId,
      exit && '# exit',
      exit?.signal ?? exit?.exitCode,
    );
    return [{ label, spans: terminal && terminalSpans(terminalText(terminal)) }];
  }
  if (item?.type === 'diff' && Array.isArray(item.changes)) {
    const parts = item.changes.filter(isJsonObject).map(({ operation, oldPath, path, oldText, newText }) => ({
      label: cleanLine(operation, oldPath, oldPath && '→', path),
      spans: newText == null ? undefined : diffSpans(diffLines(clean(oldText), clean(newText))),
      language: 'diff',
    }));
    if (!item.patch) return parts;
    const patch = parts.length === 1 ? withoutHeaders(clean(item.patch.text)) : item.patch.text;
    return [...parts, { spans: patch ? diffSpans(patch) : undefined, language: 'diff' }];
  }
  return [verbatim(cleanLine(item?.type), item)];
}

/** A git patch less the lines that name the file: the label has just done so. */
function withoutHeaders(patch: string): string {
  return patch
    .replace(/^diff --git .*\n((?:(?!@@).*\n)*)/gm, (_, header: string) =>
      header.replace(/^(?:index|---|\+\+\+|rename (?:from|to)) .*\n/gm, ''),
    )
    .replace(/^--- .*\n\+\+\+ .*\n(?=@@)/gm, '');
}
