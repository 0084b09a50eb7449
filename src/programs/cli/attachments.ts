import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../../base/diagnostic.ts';
import type { ClientConnection } from '../../client/connection.ts';
import type { ContentBlock } from '../../model/content.ts';
import { CommandError, usageError } from './errors.ts';
import { type Invocation, usesFilesHere } from './options.ts';

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** Makes a block of what was read, for this agent. */
type Attachment = (connection: ClientConnection) => ContentBlock;

/**
 * Reads the files and images of a prompt.
 *
 * @throws {@link CommandError} if one cannot be read, or is not an image.
 */
export function readAttachments(invocation: Invocation): readonly Attachment[] {
  const { files, images } = invocation;
  const link = usesFilesHere(invocation) ? linkTo : refuseLink;
  return [...files.map((path) => fileAttachment(path, link)), ...images.map(imageAttachment)];
}

/** The text of a file, if the agent accepts resources in a prompt, or a link to the file. */
function fileAttachment(path: string, link: (path: string, size: number) => ContentBlock): Attachment {
  const bytes = read('--file', path);
  const isText = isUtf8(bytes) && !bytes.includes(0);
  return (connection) =>
    isText && connection.supports('session.prompt.embeddedContext')
      ? { type: 'resource', resource: { uri: pathToFileURL(path).href, text: bytes.toString() } }
      : link(path, bytes.length);
}

function linkTo(path: string, size: number): ContentBlock {
  return { type: 'resource_link', uri: pathToFileURL(path).href, name: basename(path), size };
}

function refuseLink(path: string): never {
  throw usageError(
    `--file: ${path} is not text, or the agent takes no texts of files. A link to it would name a file of another machine. --share-files lets the agent read the files here.`,
  );
}

function imageAttachment(path: string): Attachment {
  const mimeType = imageTypes[extname(path).toLowerCase()];
  if (mimeType === undefined) {
    const known = Object.keys(imageTypes).join(', ');
    throw usageError(`--image: ${path} does not end in one of ${known}.`);
  }
  const data = read('--image', path).toString('base64');
  return () => ({ type: 'image', mimeType, data });
}

function read(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw usageError(`${option}: ${path} cannot be read: ${errorMessage(error)}.`);
  }
}
