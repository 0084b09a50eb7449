import { isJsonObject } from '../base/json.ts';
import type { ContentBlock } from '../model/content.ts';
import { clean, cleanLine, cleanOutput } from './clean.ts';
import { type Part, verbatim } from './part.ts';

/** Excludes SVG, which can run scripts. */
const safeImage = /^data:image\/(png|jpeg|gif|webp);base64,[a-z\d+/=]+$/i;

/** The parts of content blocks. Text continues from one block to the next, as it was streamed. */
export function contentParts(content: readonly ContentBlock[]): Part[] {
  const parts: Part[] = [];
  let text = '';
  for (const block of content) {
    if (block?.type === 'text') text += cleanOutput(block.text);
    else {
      addMarkdown(parts, text);
      text = '';
      parts.push(blockPart({ ...block }));
    }
  }
  addMarkdown(parts, text);
  return parts;
}

/** The start of fenced code: the fence, which may be indented, and the language. */
const openingFence = /^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*([\w+#.-]*)[^\n]*$/gm;

const closingFence = /^[ \t]*(`{3,}|~{3,})[ \t]*$/gm;

/** Splits Markdown into prose and fenced code. The last fence may be open, because a message may be incomplete. */
function addMarkdown(parts: Part[], markdown: string): void {
  let start = 0;
  for (
    let opening = execAt(openingFence, markdown, 0);
    opening;
    opening = execAt(openingFence, markdown, start)
  ) {
    const [line, fence = '', language] = opening;
    const codeStart = opening.index + line.length + 1;
    let closing = execAt(closingFence, markdown, codeStart);
    while (closing && !closes(closing[1], fence))
      closing = execAt(closingFence, markdown, closingFence.lastIndex);
    parts.push({ prose: trimmed(markdown.slice(start, opening.index)) });
    parts.push(verbatim('', markdown.slice(codeStart, closing?.index), language));
    start = closing ? closing.index + closing[0].length : markdown.length;
  }
  parts.push({ prose: trimmed(markdown.slice(start)) });
}

/**
 * Without other white space at the start: a fence is not a fence after a no-break space, and would be one without
 * it.
 */
function trimmed(prose: string): string {
  return prose.replace(/^[ \t\n]+/, '').trimEnd();
}

function execAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** Whether a fence closes another one: it has the same character and at least the same length. */
function closes(fence = '', opening: string): boolean {
  return fence.length >= opening.length && fence[0] === opening[0];
}

/** Any block except text. The known ones have the same names for their fields. */
function blockPart(block: Readonly<Record<string, unknown>>): Part {
  const kind = cleanLine(block['type']);
  if (kind === 'skill') return { label: cleanLine(kind, block['name']) };
  if (!/^(image|audio|resource)/.test(kind)) return verbatim(kind, block);
  const { name, title, description, uri, mimeType, size, data, blob, text } = {
    ...block,
    ...(isJsonObject(block['resource']) && block['resource']),
  };
  const base64 = clean(data ?? blob);
  const bytes = base64 ? Math.floor((base64.replaceAll('=', '').length * 3) / 4) : size;
  const shownSize = typeof bytes === 'number' ? `${bytes} bytes` : '';
  const shownName =
    title == null || title === name ? name : cleanLine(title, name == null ? '' : `(${clean(name)})`);
  const label = cleanLine(shownName, description, uri, mimeType, shownSize);
  const image = `data:${cleanLine(mimeType)};base64,${base64}`;
  if (safeImage.test(image)) return { label, image };
  return { label, ...verbatim(label, text) };
}
