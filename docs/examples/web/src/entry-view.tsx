import {
  type ConversationEntry,
  type MessageEntry,
  type ToolOutputItem,
  textOf,
} from 'acp-client-sdk/conversation';
import { memo } from 'react';
import { Block } from './block.tsx';
import { Markdown } from './markdown.tsx';
import { ToolCall } from './tool-call.tsx';

interface Props {
  readonly entry: ConversationEntry;
  /** What a tool call shows. Empty for other entries. */
  readonly output: readonly ToolOutputItem[];
}

/** One entry. Entries that an update did not touch are the same objects as before, so they are not drawn again. */
export const EntryView = memo(function EntryView({ entry, output }: Props) {
  if (entry.kind === 'message') return <Message entry={entry} />;
  if (entry.kind === 'toolCall') return <ToolCall entry={entry} output={output} />;
  if (entry.kind === 'compaction')
    return <p className="aside">The context was shortened ({entry.status}).</p>;
  if (entry.kind === 'turnFailure') return <p className="aside">The turn failed: {entry.reason}</p>;
  if (entry.kind === 'sessionMessage') return <p className="aside">To or from a subagent: {textOf(entry)}</p>;
  return <p className="aside">This page cannot show “{entry.tag}”, which the agent sent.</p>;
});

const speakers = { user: 'You', agent: 'Agent', thought: 'Thought' } as const;

function Message({ entry }: { readonly entry: MessageEntry }) {
  // Blocks are only ever appended or replaced as a whole, so that their place is their name.
  const blocks = entry.content.map((block, index) =>
    block.type === 'text' && entry.role !== 'user' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Markdown key={index} text={block.text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Block key={index} block={block} />
    ),
  );
  if (entry.role === 'thought') {
    return (
      <details className="message thought">
        <summary>{speakers.thought}</summary>
        {blocks}
      </details>
    );
  }
  return (
    <article className={`message ${entry.role}`} data-origin={entry.origin}>
      <h3>{speakers[entry.role]}</h3>
      {blocks}
    </article>
  );
}
