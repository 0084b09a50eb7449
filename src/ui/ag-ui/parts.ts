import type { ContentPart } from '@ag-ui/client';
import type { ContentBlock } from '../../core/model/content.ts';
import { isUnsafe } from '../bridges/unsafe-block.ts';

/**
 * A block of content as AG-UI has it. A block that AG-UI has no part for is there unchanged, and so is one whose address
 * can run a script.
 */
export type AcpContentPart = ContentPart | { readonly type: 'unknown'; readonly block: ContentBlock };

/** A block in a text of the agent that is not text, such as an image. */
export interface PlacedPart {
  /** How many characters of the text are before it. */
  readonly offset: number;
  readonly part: AcpContentPart;
}

/**
 * The metadata of a message of the agent, or of a thought: `acp.part.0` is its first block that is not text,
 * `acp.part.1` the second one. Absent if the message is text only.
 */
export type AcpPlacedParts = { readonly [key: `acp.part.${number}`]: PlacedPart };

/** The part of a block. The text of a resource is a text, and its bytes are a document. */
export function partOf(block: ContentBlock): AcpContentPart {
  if (isUnsafe(block)) return { type: 'unknown', block };
  if (block.type === 'text') {
    const { text, annotations, _meta } = block;
    return { type: 'text', text, ...metadataOf({ annotations, _meta }) };
  }
  if (block.type === 'image' || block.type === 'audio') {
    const { type, data, mimeType, ...rest } = block;
    return { type, source: { type: 'data', value: data, mimeType }, ...metadataOf(rest) };
  }
  if (block.type === 'resource_link') {
    const { type: _, uri, mimeType, ...rest } = block;
    const source = { type: 'url', value: uri, ...(mimeType == null ? {} : { mimeType }) } as const;
    return { type: 'document', source, ...metadataOf(rest) };
  }
  if (block.type === 'resource') {
    const { resource, annotations, _meta } = block;
    if ('text' in resource) {
      const { text, ...rest } = resource;
      return { type: 'text', text, ...metadataOf({ annotations, _meta, ...rest }) };
    }
    const { blob, mimeType, ...rest } = resource;
    const source = { type: 'data', value: blob, mimeType: mimeType ?? 'application/octet-stream' } as const;
    return { type: 'document', source, ...metadataOf({ annotations, _meta, ...rest }) };
  }
  return { type: 'unknown', block };
}

/** What a part has besides its content. Nothing where nothing is known. */
function metadataOf(fields: Readonly<Record<string, unknown>>): { metadata?: Record<string, unknown> } {
  const known = Object.entries(fields).filter(([, value]) => value != null);
  return known.length === 0 ? {} : { metadata: Object.fromEntries(known) };
}

/** Content as a text if it is nothing else, and otherwise as parts. A block without a part is left out. */
export function contentOf(blocks: readonly ContentBlock[]): string | ContentPart[] {
  if (blocks.every((block) => block.type === 'text')) return blocks.map(({ text }) => text).join('');
  return blocks.map(partOf).filter((part) => part.type !== 'unknown');
}

/** The metadata with one part. */
export function placedPart(index: number, offset: number, block: ContentBlock): AcpPlacedParts {
  return { [`acp.part.${index}`]: { offset, part: partOf(block) } };
}

/** The metadata with the blocks that are not text. `undefined` if there is none. */
export function placedParts(blocks: readonly ContentBlock[]): AcpPlacedParts | undefined {
  const parts: AcpPlacedParts[] = [];
  let offset = 0;
  for (const block of blocks) {
    if (block.type === 'text') offset += block.text.length;
    else parts.push(placedPart(parts.length, offset, block));
  }
  return parts.length === 0 ? undefined : Object.assign({}, ...parts);
}
