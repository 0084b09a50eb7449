import type { ContentBlockInput } from '../../core/model/content.ts';
import { attachedFile } from '../bridges/attached-file.ts';
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
  // A client of HTTP can leave it out.
  if (!url)
    throw new Error(`The file ${JSON.stringify(filename)} has no url. Nothing was sent. Attach it again.`);
  const [prefix, type] = readFile.exec(url) ?? [];
  if (prefix === undefined) return [{ type: 'resource_link', uri: url, name: filename, mimeType: mediaType }];
  return [attachedFile(filename, type || mediaType, url.slice(prefix.length))];
}
