import { isJsonObject } from '../json.ts';
import type { ContentBlock } from '../model/content.ts';
import { clean, cleanLine } from './clean.ts';
import { type Part, verbatim } from './part.ts';

/**
 * Fenced code in Markdown. The fence may be indented, and need not be closed: a message may still be on its way.
 * Captures: backticks, tildes, the language, the code.
 */
const FENCED =
  /^[ \t]*(?:(`{3,})(?=[^`\n]*$)|(~{3,}))[ \t]*([\w+#.-]*)[^\n]*\n?([\s\S]*?)(?:^[ \t]*\1\2[`~]*[ \t]*$|(?![\s\S]))/gm;

/** Not SVG, which can run scripts. */
const SAFE_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[a-z\d+/=]+$/i;

/** Blocks of content. Text goes on from one block to the next, as it was streamed. */
export function contentParts(content: readonly ContentBlock[]): Part[] {
  const parts: Part[] = [];
  let text = '';
  const flush = (): void => {
    const pieces = text.split(FENCED);
    for (let at = 0; at < pieces.length; at += 5) {
      parts.push({ prose: (pieces[at] ?? '').trim() }, verbatim('', pieces[at + 4], pieces[at + 3]));
    }
    text = '';
  };
  for (const block of content) {
    if (block?.type === 'text') text += clean(block.text);
    else {
      flush();
      parts.push(blockPart({ ...block }));
    }
  }
  flush();
  return parts;
}

/** All but text. The known ones name their fields alike; an unknown one is shown as it came. */
function blockPart(block: Readonly<Record<string, unknown>>): Part {
  const kind = cleanLine(block['type']);
  if (!/^(image|audio|resource)/.test(kind)) return verbatim(kind, block);
  const { name, uri, mimeType, data, blob, text } = {
    ...block,
    ...(isJsonObject(block['resource']) && block['resource']),
  };
  const base64 = clean(data ?? blob);
  const size = base64 && `${Math.floor((base64.replaceAll('=', '').length * 3) / 4)} bytes`;
  const label = cleanLine(name, uri, mimeType, size);
  const image = `data:${cleanLine(mimeType)};base64,${base64}`;
  if (SAFE_IMAGE.test(image)) return { label, image };
  return { label, ...verbatim(label, text) };
}
