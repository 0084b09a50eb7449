import type { ContentBlockInput } from '../../core/model/content.ts';

/**
 * A file that the user attached, as a block of a prompt.
 *
 * @param data - Base64.
 * @throws an error for the user if the name, the type or the data cannot be sent.
 */
export function attachedFile(name: string, mimeType: string, data: string): ContentBlockInput {
  try {
    const bytes = atob(data);
    const [kind] = mimeType.split('/');
    if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType };
    const resource = { uri: `attachment:${encodeURIComponent(name)}`, mimeType };
    if (kind !== 'text') return { type: 'resource', resource: { ...resource, blob: data } };
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    return { type: 'resource', resource: { ...resource, text } };
  } catch {
    throw new Error(
      `The file ${JSON.stringify(name)} has a damaged name, no type, or data that is not base64. Nothing was sent. Attach it again.`,
    );
  }
}
