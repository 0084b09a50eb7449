import type { ContentBlock } from '../../core/model/content.ts';
import type { MessageEntry } from '../../core/model/conversation.ts';
import { isUnsafe, isUnsafeType } from '../bridges/unsafe-block.ts';
import type { AcpPart } from './message-type.ts';

/** What a part says about where it is from. */
type Origin = NonNullable<Extract<AcpPart, { type: 'file' }>['providerMetadata']>;

/** The parts of a message. Neighboring texts are one part. */
export function messageParts(message: Pick<MessageEntry, 'key' | 'role' | 'content'>): AcpPart[] {
  const { key, role, content } = message;
  const parts: AcpPart[] = [];
  let text = '';
  const endText = () => {
    if (text !== '') parts.push(textPart(key, role, text, parts.length));
    text = '';
  };
  for (const block of content) {
    if (block.type === 'text') text += block.text;
    else {
      endText();
      parts.push(blockPart(block, message, parts.length));
    }
  }
  endText();
  return parts;
}

/** @param index - The place of the part in its message. */
export function textPart(key: string, role: MessageEntry['role'], text: string, index: number): AcpPart {
  const said = { text, providerMetadata: { acp: { key } }, state: 'done' } as const;
  return role === 'thought'
    ? { type: 'reasoning', id: chunkId(key, index), ...said }
    : { type: 'text', ...said };
}

/** The id under which the stream sends a part. */
export function chunkId(key: string, index: number): string {
  return index === 0 ? key : `${key}/${index}`;
}

/** Half of a character. A URL cannot contain it. */
const loneSurrogates = /[\uD800-\uDFFF]/gu;

/** A block that is not text. */
type Block = Exclude<ContentBlock, { type: 'text' }>;

/** @param index - The place of the part in its message. */
function blockPart(block: Block, { key, role }: Pick<MessageEntry, 'key' | 'role'>, index: number): AcpPart {
  // Blocks are values of JSON.
  const from = (others: object) => ({ acp: { key, ...others } }) as Origin;
  const file = (mediaType: string, data: string, others: object): AcpPart => ({
    type: role === 'thought' ? 'reasoning-file' : 'file',
    mediaType,
    url: `data:${mediaType}${data}`,
    providerMetadata: from(others),
  });
  const unchanged: AcpPart = { type: 'data-content', id: chunkId(key, index), data: block };
  if (isUnsafe(block)) return unchanged;
  switch (block.type) {
    case 'image':
    case 'audio': {
      const { mimeType, data, type, ...others } = block;
      return file(mimeType, `;base64,${data}`, others);
    }
    case 'resource': {
      const { resource, type, ...others } = block;
      const { uri, mimeType } = resource;
      const [usualType, data] =
        'text' in resource
          ? ['text/plain', `,${encodeURIComponent(resource.text.replace(loneSurrogates, '\uFFFD'))}`]
          : ['application/octet-stream', `;base64,${resource.blob}`];
      // The text of a page is shown as a text.
      const fileType = mimeType == null || isUnsafeType(mimeType) ? usualType : mimeType;
      return file(fileType, data, { uri, ...others });
    }
    case 'resource_link': {
      const { uri: url, title, type, ...others } = block;
      return {
        type: 'source-url',
        sourceId: chunkId(key, index),
        url,
        title: title ?? block.name,
        providerMetadata: from(others),
      };
    }
  }
  return unchanged;
}
