import type { ContentBlockInput } from '../../model/content.ts';
import type { AcpPart, AcpUIMessage } from './message-type.ts';

/** A file that a page has read. */
const readFile = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

/**
 * The content of a prompt, from a message that the user wrote in a chat interface: its texts, files and links.
 *
 * @throws an error for the user if it has none.
 */
export function promptContent({ parts }: AcpUIMessage): readonly ContentBlockInput[] {
  const content = parts.flatMap(blockOf);
  if (content.length > 0) return content;
  throw new Error('The message is empty. Nothing was sent.');
}

function blockOf(part: AcpPart): readonly ContentBlockInput[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'source-url') {
    return [{ type: 'resource_link', uri: part.url, name: part.title ?? part.url }];
  }
  if (part.type !== 'file') return [];
  const { url, mediaType, filename = 'file' } = part;
  const [prefix, type] = readFile.exec(url) ?? [];
  if (prefix === undefined) return [{ type: 'resource_link', uri: url, name: filename, mimeType: mediaType }];
  const mimeType = type || mediaType;
  const data = url.slice(prefix.length);
  const [kind] = mimeType.split('/');
  if (kind === 'image' || kind === 'audio') return [{ type: kind, data, mimeType }];
  const resource = { uri: `attachment:${encodeURIComponent(filename)}`, mimeType };
  if (kind !== 'text') return [{ type: 'resource', resource: { ...resource, blob: data } }];
  const text = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
  return [{ type: 'resource', resource: { ...resource, text } }];
}
