import { useState } from 'preact/hooks';
import type { ContentBlock, ImageContent } from '../../../core/model/content.ts';
import { plainText } from '../../../core/render/clean.ts';
import { webAddress } from '../../markdown/options.ts';
import { useAction } from '../events.ts';

/** A block of content. It is text of a program: Preact escapes it, and an address in it is not a link. */
export function Block({ block }: { readonly block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return (
        <p className="text" dir="auto">
          {plainText(block.text)}
        </p>
      );
    case 'image':
      return <Image image={block} />;
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: agents do not send captions
      return <audio controls src={`data:${block.mimeType};base64,${block.data}`} />;
    case 'resource_link':
      return <ResourceLink name={plainText(block.title ?? block.name)} uri={block.uri} />;
    case 'resource':
      return (
        <details className="resource">
          <summary>{plainText(nameOf(block.resource.uri))}</summary>
          {'text' in block.resource && <pre>{plainText(block.resource.text)}</pre>}
        </details>
      );
    default:
      return <p className="note">Content of type “{plainText(block.type)}”</p>;
  }
}

/** An image, or its name if its data are no image. */
function Image({ image: { mimeType, data, uri } }: { readonly image: ImageContent }) {
  const [isBroken, setBroken] = useState(false);
  const name = plainText(nameOf(uri ?? mimeType));
  if (isBroken) return <p className="note">The image “{name}” cannot be shown.</p>;
  return <img src={`data:${mimeType};base64,${data}`} alt={name} onError={() => setBroken(true)} />;
}

/** The transcript opens the link: a page outside, or a file of the workspace in the editor. */
function ResourceLink({ name, uri }: { readonly name: string; readonly uri: string }) {
  const canOpen = useAction('openLocation');
  const isLink = webAddress.test(uri) || (canOpen && /^file:/i.test(uri));
  return <p className="note">{isLink ? <a href={uri}>{name}</a> : name}</p>;
}

/** The part of an address after the last separator. */
function nameOf(uri: string): string {
  return uri.split(/[/:]/).findLast((part) => part !== '') ?? uri;
}
