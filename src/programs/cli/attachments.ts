import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../../core/base/diagnostic.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import { type Invocation, usesFilesHere } from './arguments.ts';
import { CommandError, usageError } from './errors.ts';

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/** An image or the text of a file, if the agent accepts this in a prompt, or a link to the file. */
type Attachment = (connection: ClientConnection) => ContentBlock;

/**
 * Reads the files of a prompt.
 *
 * @throws {@link CommandError} if one cannot be read.
 */
export function readAttachments(invocation: Invocation): readonly Attachment[] {
  return invocation.files.map((path) => {
    const bytes = read(path);
    const uri = pathToFileURL(path).href;
    const mimeType = imageTypes[extname(path).toLowerCase()];
    const isText = isUtf8(bytes) && !bytes.includes(0);
    return (connection) => {
      if (mimeType !== undefined && connection.supports('session.prompt.image'))
        return { type: 'image', mimeType, data: bytes.toString('base64') };
      if (isText && connection.supports('session.prompt.embeddedContext'))
        return { type: 'resource', resource: { uri, text: bytes.toString() } };
      if (usesFilesHere(invocation))
        return { type: 'resource_link', uri, name: basename(path), size: bytes.length };
      throw usageError(
        `--file: the agent does not take the content of ${path}. A link to it would name a file of another machine. --share-files lets the agent read the files here.`,
      );
    };
  });
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw usageError(`--file: ${path} cannot be read: ${errorMessage(error)}.`);
  }
}
