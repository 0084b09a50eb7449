import type { ContentBlock } from 'acp-client-sdk/conversation';

/** One block of content. What an agent sends is shown, and never trusted: no HTML, and no link that does anything. */
export function Block({ block }: { readonly block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return <p className="text">{block.text}</p>;
    case 'image':
      return (
        <img src={`data:${block.mimeType};base64,${block.data}`} alt={block.uri ?? 'Image from the agent'} />
      );
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: the agent sends none
      return <audio controls src={`data:${block.mimeType};base64,${block.data}`} />;
    case 'resource_link':
      return (
        <p className="resource">
          {block.title ?? block.name} <code>{block.uri}</code>
        </p>
      );
    case 'resource':
      return 'text' in block.resource ? (
        <pre>{block.resource.text}</pre>
      ) : (
        <p className="resource">
          <code>{block.resource.uri}</code>
        </p>
      );
    default:
      return <p className="aside">This page cannot show content of the type “{block.type}”.</p>;
  }
}
