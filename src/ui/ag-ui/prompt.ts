import type { ContentPart, UserMessage } from '@ag-ui/client';
import { isJsonObject } from '../../core/base/json.ts';
import type { ContentBlockInput } from '../../core/model/content.ts';
import { attachedFile } from '../bridges/attached-file.ts';

/**
 * The content of a prompt, from the user's message.
 *
 * @throws an error for the user if it cannot be read.
 */
export function promptOf({ content }: UserMessage): readonly ContentBlockInput[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.every(isReadable)) return content.map(blockOf);
  throw new Error(
    'The content of the message is neither a text nor a list of texts and files. Nothing was sent. Send the message again.',
  );
}

/** A client of HTTP can send anything. */
function isReadable(part: unknown): boolean {
  return isJsonObject(part) && (part['type'] === 'text' || isJsonObject(part['source']));
}

function blockOf(part: ContentPart): ContentBlockInput {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { source } = part;
  if (source.type === 'url') {
    const { value: uri, mimeType } = source;
    return { type: 'resource_link', uri, name: nameOf(uri), ...(mimeType !== undefined && { mimeType }) };
  }
  if (source.type === 'file') {
    throw new Error(
      `The ${part.type} in the message is a file of ${source.provider ?? 'a provider'} (${source.value}), which the agent cannot read. Nothing was sent. Attach its data or its URL.`,
    );
  }
  return attachedFile(part.id ?? part.type, source.mimeType, source.value);
}

/** The last part of the path of a URI. */
function nameOf(uri: string): string {
  return uri.split('/').findLast((part) => part !== '') ?? uri;
}
