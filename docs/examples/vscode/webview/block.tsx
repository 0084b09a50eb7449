import { type ContentBlock, plainText } from 'acp-client-sdk/conversation';

/** A block of content. It is text of a program: React escapes it, and an address in it is not a link. */
export function Block({ block }: { readonly block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return <p className="text">{plainText(block.text)}</p>;
    case 'image':
      return (
        <img src={`data:${block.mimeType};base64,${block.data}`} alt={block.uri ?? 'Without a description'} />
      );
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

/** The transcript opens the link: a page outside, or a file of the workspace in the editor. */
function ResourceLink({ name, uri }: { readonly name: string; readonly uri: string }) {
  const isLink = /^(?:https?|file):/i.test(uri);
  return <p className="note">{isLink ? <a href={uri}>{name}</a> : name}</p>;
}

/** The part of an address after the last separator. */
function nameOf(uri: string): string {
  return uri.split(/[/:]/).findLast((part) => part !== '') ?? uri;
}
