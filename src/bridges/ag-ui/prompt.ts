import type { ContentPart, UserMessage } from '@ag-ui/client';
import type { ContentBlockInput } from '../../model/content.ts';

/** The content of a prompt, from the user's message. */
export function promptOf({ content }: UserMessage): readonly ContentBlockInput[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(blockOf);
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
  const { value: data, mimeType } = source;
  if (part.type === 'image' || part.type === 'audio') return { type: part.type, data, mimeType };
  return { type: 'resource', resource: { uri: `attachment:${part.id ?? part.type}`, blob: data, mimeType } };
}

/** The last part of the path of a URI. */
function nameOf(uri: string): string {
  return uri.split('/').findLast((part) => part !== '') ?? uri;
}
