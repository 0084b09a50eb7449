import type { ContentBlock } from '../../core/model/content.ts';
import { unsafeAddress } from '../markdown/unsafe-address.ts';

/** Files that can have scripts. A comma would end the type in a `data:` address. */
const unsafeType = /,|text\/(?:html|xml|xsl)|application\/xml|image\/svg|\+xml/i;

/** As a browser reads an address. */
function plain(address: string): string {
  return address.replace(/[\0-\x20]/g, '');
}

/** Whether a page that opens a file of this type can run a script. */
export function isUnsafeType(mimeType: string): boolean {
  return unsafeType.test(plain(mimeType));
}

/** Whether the address that a chat interface would make of a block can run a script. */
export function isUnsafe(block: ContentBlock): boolean {
  if (block.type === 'resource_link') return unsafeAddress.test(plain(block.uri));
  if (block.type === 'image' || block.type === 'audio') return isUnsafeType(block.mimeType);
  return block.type === 'resource' && 'blob' in block.resource && isUnsafeType(block.resource.mimeType ?? '');
}
