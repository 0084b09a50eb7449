import type { ContentBlockInput } from '../../../core/model/content.ts';
import type { PanelState } from '../../panel/state.ts';

/** A block that is sent with the next prompt. */
export interface Attachment {
  readonly name: string;
  readonly block: ContentBlockInput;
}

/** A message to the host has a limit. */
const maxImageBytes = 4 * 2 ** 20;
const maxTextBytes = 256 * 2 ** 10;

/** The name that the user sees. */
export function nameOfBlock(block: ContentBlockInput): string {
  if ('name' in block) return block.name;
  const uri = 'resource' in block ? block.resource.uri : 'uri' in block ? block.uri : undefined;
  return uri?.split('/').at(-1) ?? block.type;
}

/** Reads a file that the user pasted or dropped. Throws an error for the user if the agent cannot take it. */
export async function attachmentOf(file: File, features: PanelState['features']): Promise<Attachment> {
  const { name } = file;
  if (file.type.startsWith('image/')) {
    if (!features['session.prompt.image']) throw new Error('The agent does not take images.');
    if (file.size > maxImageBytes) throw new Error(`${name} is larger than 4 MB.`);
    return { name, block: { type: 'image', mimeType: file.type, data: await base64Of(file) } };
  }
  if (!features['session.prompt.embeddedContext']) throw new Error('The agent does not take files.');
  if (file.size > maxTextBytes) throw new Error(`${name} is larger than 256 KB.`);
  const bytes = await file.arrayBuffer();
  const uri = `attachment:${encodeURIComponent(name)}`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { name, block: { type: 'resource', resource: { uri, text, mimeType: file.type || null } } };
  } catch {
    throw new Error(`${name} is neither a text nor an image.`);
  }
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}

/** The files of the workspace that the user dragged from the explorer of VS Code. */
export function droppedUris(dataTransfer: DataTransfer): readonly Attachment[] {
  const list = dataTransfer.getData('application/vnd.code.uri-list') || dataTransfer.getData('text/uri-list');
  return list
    .split(/\r?\n/)
    .filter((uri) => uri.startsWith('file:'))
    .map((uri) => {
      const name = decodeURIComponent(uri.split('/').at(-1) ?? uri);
      return { name, block: { type: 'resource_link', name, uri } };
    });
}
